"""Known mistakes in json."""
