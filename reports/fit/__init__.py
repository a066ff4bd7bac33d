"""Cheapest fit: all live offers × the plans of a job, in total, with its proof."""
