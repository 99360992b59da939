"""Results as tables, as Parquet: one row a trial, one a finding, one a job.

- ``columns``: which columns there are, and what of an audit stands in them.
- ``writing``: the files, written whole or not at all.
"""

from conformance.check.tables.writing import Tables, TablesError

__all__ = ["Tables", "TablesError"]
