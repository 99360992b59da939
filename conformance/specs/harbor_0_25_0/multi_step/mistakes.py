"""Mistakes in checking the names of a task's steps."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harbor_0_25_0 import step_names

Names = Iterable[str]
Validate = Callable[[Names], None]
Test = Callable[[str], bool]
_PORTABLE, _UNIQUE = "003-4.5-step-names-portable", "003-4.5-step-names-unique"
in_names = family("multi_step_reward", of=step_names.validate_step_names, clause=_UNIQUE)
in_portable = family("multi_step_reward", of=step_names._is_portable, clause=_PORTABLE)


@in_names.wrapped(clause=_PORTABLE, invited_by="harbor before 0.23.0")
def any_step_name_is_taken(validate: Validate, names: Names) -> None:
    """Steps may have any names. harbor allowed it before 0.23.0."""


@in_names.wrapped(invited_by="checking each name by itself")
def step_names_may_repeat(validate: Validate, names: Names) -> None:
    """Two steps may have the same name. Each name is checked by itself."""
    for name in names:
        validate([name])


@way("multi_step_reward", clause=_UNIQUE)
def compared_by(reference: Variant, key: Callable[[str], Any]) -> None:
    """Names count as equal if ``key`` gives the same for them."""
    validate = reference.get(step_names.validate_step_names)

    def compare(names: Names) -> None:
        seen = set()
        for name in names:
            validate([name])
            if key(name) in seen:
                validate([name, name])
            seen.add(key(name))

    reference.replace(step_names.validate_step_names, compare)


@compared_by.made(invited_by="a set of the names")
def step_names_are_compared_as_written(name: str) -> str:
    """Step names are compared as they are written. Two different texts seem to be different names."""
    return name


@in_portable.wrapped(invited_by=r"\w+, slugs")
def step_names_are_identifiers(test: Test, name: str) -> bool:
    """A step's name is made of letters, digits, points, hyphens and underscores.
    Such names are safe everywhere."""
    return test(name) and re.fullmatch(r"[\w.-]+", name) is not None


@way("multi_step_reward", clause=_PORTABLE)
def allowed(reference: Variant, mended: Callable[[str], str]) -> None:
    """Checks names after ``mended`` has changed them: whatever it removes is never refused."""
    test = reference.get(step_names._is_portable)
    reference.replace(step_names._is_portable, lambda name: test(mended(name)))


@allowed.made(invited_by="len()")
def step_names_are_measured_in_characters(name: str) -> str:
    """A step's name may have 255 characters, of any number of bytes.
    The length of a text is its number of characters."""
    return "x" * len(name) if len(name) > 80 else name
