"""What changed from one run to another, part by part; ``pairs`` is what they all read."""
