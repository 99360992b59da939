"""The page of a run, part by part; ``account`` is what they all read."""
