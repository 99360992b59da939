"""What a run came to: the report as a document, what follows from it, and reading one."""
