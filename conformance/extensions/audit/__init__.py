"""Audits job directories as harbor, or any other runner, leaves them; nothing is run. See README.md."""
