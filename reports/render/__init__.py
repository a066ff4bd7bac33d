"""The parts of an issue: HTML, plain text, chart, CSV, XLSX, JSON. Every part shows the same numbers."""
