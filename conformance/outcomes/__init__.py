"""A run's result: the report as a document, conclusions from it, and reading one."""
