"""Reading pages of declared archetypes: goods with their prices from a document and a provider file.

    document.py  the page as a reader sees it: comments, struck out and undisplayed parts are gone
    locate.py    where a fact stands: label, CSS, nearest heading
    goods.py     what the archetypes have in common: a good, its quotes, what was looked for and found
    tables.py, boxes.py, lines.py   the archetypes
    signs.py     an article, an empty list

No Scrapy here.
"""
