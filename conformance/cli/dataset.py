"""The command of an extension."""

from conformance.extensions.dataset.command import dataset

__all__ = ["dataset"]
