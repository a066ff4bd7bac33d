"""Running for years: which job runs when, as a subprocess, and how the whole is doing."""
