"""What is no test and not in the wheel: makers of jobs, benchmarks, checks for a release."""
