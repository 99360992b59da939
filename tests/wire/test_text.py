"""Texts of others on their way into a log."""

import json

import pytest

from conformance.wire.text import harmless
from conformance.wire.writing import dumps

COMMANDS = [
    "::error::gotcha",
    "::set-output name=a::b",
    " \t ::add-mask::b",
    "::stop-commands::token",
    "a line\n  ::error file=x::gotcha",
    "rewritten\r::error::gotcha",
    "said ##[error]gotcha",
    "##vso[task.setvariable variable=a]b",
    "x ##vso[task.complete result=Failed]",
    "##teamcity[buildStop comment='gotcha']",
    "###[group]gotcha",
]


def acts(text: str) -> bool:
    """What the agents of GitHub, Azure and TeamCity look for in a line."""
    lines = text.replace("\r", "\n").split("\n")
    known = ("##[", "##vso[", "##teamcity[")
    return any(line.strip().startswith("::") or any(one in line for one in known) for line in lines)


@pytest.mark.parametrize("text", COMMANDS)
def test_a_command_to_a_ci_system_is_put_in_other_words(text: str) -> None:
    assert acts(text)
    assert not acts(harmless(text))
    assert json.loads(f'"{harmless(text)}"', strict=False) == text


@pytest.mark.parametrize(
    "text",
    ["core::panicking::panic", "a ::error::", "::1", "a:: b", "## [link](to)", "#[derive(Debug)]", "##"],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert harmless(text) == text


def test_json_says_the_same() -> None:
    document = {"found": "::error::a", "##[group]": ["##vso[x]", "\\##[error]"]}
    assert not acts(harmless(dumps(document)))
    assert json.loads(harmless(dumps(document))) == document


def test_a_long_text_takes_no_time() -> None:
    assert harmless(" " * 500_000 + "\n" * 500_000).isspace()
