"""The command of an extension."""

from conformance.extensions.releases.matrix.command import matrix

__all__ = ["matrix"]
