"""What holds of outcome."""
