"""Results as tables: one row a trial, one row a finding, as Parquet."""
