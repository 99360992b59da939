"""The runner protocol for Python: ``serve(operation, …)`` answers requests until stdin closes."""

__all__: list[str] = []
