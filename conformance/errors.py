"""The base of errors that a user can fix."""

__all__ = ["UserError"]


class UserError(Exception):
    """Something that the user can fix; the message is one sentence, and the exit code 2."""
