"""Audits job directories written by harbor or any other runner, without running anything. See README.md."""
