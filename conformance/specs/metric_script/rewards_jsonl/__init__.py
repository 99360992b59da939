"""The file of rewards for a metric script."""
