"""The facts of one weekly issue, read from a published generation by SQL and nothing else."""
