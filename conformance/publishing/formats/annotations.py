"""A page's notes as commands of a CI system: GitHub's annotations, Azure's issues."""

from collections.abc import Mapping, Sequence

from conformance.publishing.model import Note

__all__ = ["annotation_lines"]


def annotation_lines(notes: Sequence[Note], environment: Mapping[str, str]) -> list[str]:
    """The lines for the system that the environment tells of; none where it shows no annotations."""
    raise NotImplementedError
