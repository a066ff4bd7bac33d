"""The truth tables: cards, instance families, regions, billing words, reason codes, providers.

Data files with a source and a date per fact, and tiny typed loaders beside them. Nothing here interprets
a page; a name means what the table says, and a name the table does not hold is unknown.
"""
