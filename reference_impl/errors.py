"""The errors that the rules name.

A verifier that writes no usable reward file raises a `VerifierError`, which has the reason code
that a runner reports for it (003 §1.4, §7.1). A well-formed file with values that are not rewards
raises `ValidationError`, which has no reason code. All other exceptions of the rules are Python's
own: RecursionError, OverflowError, ZeroDivisionError, ValueError.
"""

from typing import ClassVar

__all__ = [
    "RewardFileEmptyError",
    "RewardFileNotFoundError",
    "ValidationError",
    "VerifierError",
    "VerifierOutputParseError",
]


class VerifierError(Exception):
    """The verifier's output cannot be turned into rewards."""

    reason_code: ClassVar[str]


class RewardFileNotFoundError(VerifierError):
    """There is neither a `reward.json` nor a `reward.txt` (003 §1.1)."""

    reason_code = "harbor_reward_missing"

    def __init__(self) -> None:
        super().__init__("No reward file found at reward.txt or reward.json")


class RewardFileEmptyError(VerifierError):
    """The reward file that counts has no bytes (003 §1.2, §1.3)."""

    reason_code = "harbor_reward_empty"

    def __init__(self, file_name: str) -> None:
        super().__init__(f"Reward file is empty at {file_name}")
        self.file_name = file_name


class VerifierOutputParseError(VerifierError):
    """The reward file that counts is not a number, or not JSON (003 §1.2, §1.3)."""

    reason_code = "harbor_reward_parse_error"

    def __init__(self, file_name: str, kind: str) -> None:
        super().__init__(f"Failed to parse rewards from {kind} file {file_name}")
        self.file_name = file_name
        self.kind = kind


class ValidationError(ValueError):
    """A value does not fit its field in harbor's data model (003 §2)."""

    def __init__(self, field: str, value: object) -> None:
        super().__init__(f"{field} does not accept a {type(value).__name__}")
        self.field = field
        self.value = value
