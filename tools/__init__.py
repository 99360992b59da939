"""Tools that are neither tests nor in the wheel: makers of jobs, benchmarks, checks for a release."""
