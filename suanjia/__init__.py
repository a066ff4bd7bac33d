"""算价: the program. Command line, settings, schedule, health.

Rooms to the left of this one know nothing of it; see docs/adr/0001-rooms-as-top-level-packages.md.
"""

__version__ = "0.1.0"
