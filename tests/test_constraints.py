"""constraints.txt: every package that the kit, its oracle and its build need, pinned by hash."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "constraints.txt").read_text(encoding="utf-8")
PYTHONS = ("3.10.0", "3.11.0", "3.12.0", "3.13.0")


def list_in(pyproject, name):
    """A list of requirements in pyproject.toml; Python 3.10 can't read TOML."""
    (found,) = re.findall(rf"^{name} = \[(.*?)\]$", pyproject, re.MULTILINE | re.DOTALL)
    return [Requirement(text) for text in re.findall(r'"([^"]+)"', found)]


def wanted():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return [one for name in ("requires", "dependencies", "oracle") for one in list_in(pyproject, name)]


def pins(python):
    """What is pinned for a Python on Linux, each with the number of its hashes."""
    place = {
        "python_version": python.rpartition(".")[0],
        "python_full_version": python,
        "sys_platform": "linux",
        "platform_python_implementation": "CPython",
    }
    for entry in re.sub(r" \\\n +", " ", TEXT).splitlines():
        if entry.startswith("#"):
            continue
        pinned = Requirement(entry.partition(" --hash=")[0])
        if pinned.marker is None or pinned.marker.evaluate(place):
            yield pinned, len(re.findall(r" --hash=sha256:[0-9a-f]{64}(?= |$)", entry))


@pytest.mark.parametrize("python", PYTHONS)
def test_everything_that_is_needed_is_pinned_by_hashes(python) -> None:
    found = {pinned.name: pinned for pinned, _ in pins(python)}
    assert len(found) == len(list(pins(python))), "each once"
    assert all(hashes for _, hashes in pins(python))
    for requirement in wanted():
        (exact,) = found[requirement.name].specifier
        assert exact.operator == "=="
        assert requirement.specifier.contains(exact.version), requirement


def test_it_names_no_index() -> None:
    assert re.findall(r"^-.*|https?://\S+", TEXT, re.MULTILINE) == []
