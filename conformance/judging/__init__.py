"""Is an answer right? Comparison at a level, free key order, outcomes, known failures."""
