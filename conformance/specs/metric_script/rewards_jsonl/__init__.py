"""The file of rewards that a metric script is given."""
