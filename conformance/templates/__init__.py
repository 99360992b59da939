"""Projects to begin a runner with, in eight languages: a protocol file, a file for the author, a gate."""
