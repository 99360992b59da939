"""The command of an extension."""

from conformance.extensions.releases.command import spec

__all__ = ["spec"]
