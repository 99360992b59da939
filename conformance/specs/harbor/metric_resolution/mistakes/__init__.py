"""Known mistakes in this section: metric resolution: which metrics a job computes for each of its datasets."""
