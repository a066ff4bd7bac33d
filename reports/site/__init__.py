"""The static site: opens from a disk or from any web server, asks nobody for anything."""
