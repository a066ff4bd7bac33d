"""Is the machine the card that was sold: readers of `nvidia-smi` output and verdicts."""
