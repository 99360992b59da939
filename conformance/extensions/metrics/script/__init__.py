"""harbor's metric scripts: one is run in many situations, and judged by what it writes."""
