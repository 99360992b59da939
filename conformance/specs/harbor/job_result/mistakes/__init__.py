"""Known mistakes in this section: the job's result: `result.json`, byte for byte."""
