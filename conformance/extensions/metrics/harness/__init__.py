"""harness-evals metrics: a class that scores one case between 0 and 1."""
