"""What commands share: their options, and how they show progress."""
