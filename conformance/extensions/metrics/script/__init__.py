"""harbor's metric scripts: runs a script in many situations, and judges its output."""
