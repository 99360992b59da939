"""The to-do list on a terminal: what is wrong, an example, how to fix it, and a command that repeats it."""

import os
import shlex
import textwrap
from collections.abc import Iterator

import click

from conformance.diagnosis.account import Diagnosis, Example, Kind, Line, failures
from conformance.registry.ops import OPS
from conformance.wire.text import cut, printable, shortened

__all__ = ["todo_lines", "wrapped"]

_INDENT = "   "
_LABEL = 10
"""The width of a label with its padding."""
_LONGEST = 600
"""The most characters of a sentence."""
_COLOURS = {Kind.CLUSTER: "yellow", Kind.SILENT: "yellow"}


def todo_lines(diagnosis: Diagnosis, command: str | None, width: int, *, styled: bool = False) -> list[str]:
    """The list: a heading, and a paragraph for each thing to do; empty if nothing failed.

    Args:
        diagnosis: the diagnosis of the failures.
        command: the runner's command, for the commands that repeat a failure.
        width: the terminal's width in columns; words are not broken, so a long one may exceed it.
        styled: whether the terminal shows colours.
    """
    if not diagnosis.lines:
        return []
    heading = f"To fix ({failures(diagnosis.total)}, explained ones first):"
    text = [_styled(heading, styled, bold=True)]
    for number, line in enumerate(diagnosis.lines, 1):
        text += ["", *_paragraph(number, line, command, width, styled)]
    return text


def _paragraph(number: int, line: Line, command: str | None, width: int, styled: bool) -> Iterator[str]:
    heading = f"{number:<{len(_INDENT) - 1}} {line.count}"
    colour = "green" if line.certain else _COLOURS.get(line.kind, "cyan")
    yield f"{_styled(heading, styled, bold=True)}   {_styled(line.trust, styled, fg=colour)}"
    first, _, remainder = line.says.partition(" ")
    is_name = not first.isalpha() or (len(first) == 1 and first != "a") or first in OPS
    says = line.says if is_name else f"{first[:1].upper()}{first[1:]} {remainder}"
    yield from _indented(f"{cut(says, _LONGEST)}{'' if says.endswith('?') else '.'}", width)
    yield from _pair(line.example, width, styled)
    if line.contrast is not None:
        yield from _labelled("passes", f"{line.contrast.input} gives {line.contrast.actual}", width)
    yield from _labelled("Fix:", shortened(line.do, _LONGEST), width)
    if command is not None:
        repeat = f"harbor-conformance run --runner {shlex.quote(command)} {line.example.key}"
        yield _INDENT + "Try:".ljust(_LABEL) + printable(repeat)


def _pair(example: Example, width: int, styled: bool) -> Iterator[str]:
    """The input, the expected and the actual answer, with the difference marked."""
    yield from _labelled("input", example.input, width)
    expected, actual = printable(example.expected), printable(example.actual)
    before = len(os.path.commonprefix([expected, actual]))  # noqa: RUF071 - of characters
    after = len(os.path.commonprefix([expected[before:][::-1], actual[before:][::-1]]))  # noqa: RUF071
    yield from _labelled("expected", expected, width)
    if max(len(expected), len(actual)) > width - len(_INDENT) - _LABEL:
        yield from _labelled("got", actual, width)
        return
    differs = actual[before : len(actual) - after]
    marked = actual[:before] + _styled(differs, styled, fg="red", bold=True) + actual[len(actual) - after :]
    yield _INDENT + "got".ljust(_LABEL) + marked
    if before:
        yield _INDENT + " " * (_LABEL + before) + "^" * max(1, len(differs))


def _labelled(label: str, text: str, width: int) -> list[str]:
    lines = _indented(text, width, " " * _LABEL)
    return [_INDENT + label.ljust(_LABEL) + lines[0][len(_INDENT) + _LABEL :], *lines[1:]]


def _indented(text: str, width: int, indent: str = "") -> list[str]:
    margin = _INDENT + indent
    return wrapped(printable(text), width, margin, margin) or [margin]


def wrapped(text: str, width: int, first: str = "", rest: str = "  ") -> list[str]:
    """The lines of a text, the first and the rest with these indents; words are never broken."""
    wrapper = textwrap.TextWrapper(width, first, rest, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text)


def _styled(text: str, styled: bool, *, bold: bool = False, fg: str | None = None) -> str:
    return click.style(text, bold=bold or None, fg=fg) if styled and text else text
