"""Forks of harbor, one change each: they can be made, and the kit finds some and says what they are.

All of them are asked by ``python -m tools.forks.table``, which takes minutes.
"""

import functools
import shutil
import subprocess

import pytest

from conformance.mistakes.catalogue import all_mistakes
from conformance.paths import DEFAULT_SPEC
from tools.forks import forking

LONGEST = 420
"""Characters of a text that a change looks for: as few as make it unique."""


PATCHES, GATED = map(forking.forks, (forking.PATCHES, forking.GATED))


@pytest.mark.parametrize("name", PATCHES)
def test_a_fork_says_what_is_expected_of_the_kit(name) -> None:
    patch = PATCHES[name]
    assert patch.does
    assert patch.edits
    assert sum(map(bool, (patch.mistakes or patch.says, patch.unseen, patch.unnamed))) == 1
    known = all_mistakes(DEFAULT_SPEC)
    assert [one for group in patch.mistakes for one in group if one not in known] == []
    assert all(len(edit.old) <= LONGEST for edit in patch.edits)


@pytest.mark.oracle
def test_every_change_applies_to_the_published_package_or_is_told(tmp_path) -> None:
    python = forking.oracle(DEFAULT_SPEC).python
    source = forking.package(python)
    modules = []
    for name, patch in PATCHES.items():
        checkout = forking.make(patch, tmp_path / name, source)
        for edit in patch.edits:
            changed = checkout / "harbor" / edit.file
            modules.append(str(changed))
            assert (edit.new or "") in changed.read_text("utf-8")
    # by its own Python: the kit's may be older than the syntax
    parse = "import ast, sys; [ast.parse(open(path, encoding='utf-8').read(), path) for path in sys.argv[1:]]"
    subprocess.run([python, "-I", "-c", parse, *modules], check=True, timeout=300)
    fork = forking.Fork("none", "nothing", (forking.Edit("job.py", "", "no such text"),))
    with pytest.raises(ValueError, match=r"none: job\.py has 'no such text' 0 times, not once"):
        forking.checkout(fork, tmp_path)


SECTIONS = {
    "text-clamped": ("reward",),
    "mean-naive": ("aggregation",),
    "pass-at-1-kept": ("pass_at_k",),
    "exceptions-by-message": ("job_result",),
}
"""Where each of the quick forks is found; the table asks every section."""


@pytest.mark.release
@pytest.mark.parametrize("name", [name for name, patch in PATCHES.items() if patch.quick])
def test_a_fork_is_found_and_named(name, tmp_path) -> None:
    said = forking.ask(PATCHES[name], tmp_path, sections=SECTIONS[name])
    assert said.exit_code == 1
    assert said.failures
    assert said.named == "right"


@pytest.mark.release
@pytest.mark.oracle
@pytest.mark.parametrize("name", ["qualified-names", "backoff-uncapped", "semaphore-of-more"])
def test_a_gate_finds_what_whole_jobs_show(name, tmp_path) -> None:
    said = forking.ask(GATED[name], tmp_path, ("played",))
    assert said.exit_code == 1, said.printed
    assert said.sections.endswith("of played")


@pytest.mark.oracle
def test_every_place_of_a_gated_fork_is_there_once(tmp_path, monkeypatch) -> None:
    whole = forking.package
    changed = {edit.file for fork in GATED.values() for edit in fork.edits if edit.file}
    assert len(GATED) > 60

    def part(python):
        """The files that forks change alone: to copy the others takes a second a fork."""
        source, target = whole(python), tmp_path / "parts" / python.parts[-3]
        for file in changed if not target.exists() else ():
            if (source / file).exists():
                (target / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / file, target / file)
        return target

    monkeypatch.setattr(forking, "package", part)
    monkeypatch.setattr(forking, "oracle", functools.cache(forking.oracle))
    for fork in GATED.values():
        assert forking.checkout(fork, tmp_path).is_dir()
