"""The built-in metrics of EvSys."""
