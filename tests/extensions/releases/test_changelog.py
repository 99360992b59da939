"""The CHANGELOG follows docs/versions.md: it is held to vectors, their locks, and the kit's version."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from conformance import __version__
from conformance.extensions.releases.changelog import expected_rows, problems, releases_of, suite_of, table
from conformance.outcomes.selection import vector_set_json
from conformance.paths import spec_names
from conformance.version import RELEASE

ROOT = Path(__file__).resolve().parents[3]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
UNRELEASED = f"## {RELEASE}, unreleased"


@pytest.fixture(scope="module")
def developing(changelog):
    """As it is before its release, which takes `unreleased` out of it, and `.dev0` out of the version."""
    return re.sub(rf"^## {re.escape(RELEASE)}\b.*", UNRELEASED, changelog, count=1, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def suites():
    return [suite_of(name) for name in spec_names()]


@pytest.fixture(scope="module")
def changelog(suites):
    """With the newest table as it is due: a vector's commit need not touch it, a release writes it."""
    releases = releases_of(CHANGELOG)
    written, due = table([*releases[0].rows.values()]), table(expected_rows(suites, releases))
    assert CHANGELOG.count(written) == 1
    return CHANGELOG.replace(written, due)


def changed(suites, spec, **other):
    return [dataclasses.replace(one, **other) if one.spec == spec else one for one in suites]


@pytest.mark.release
def test_the_newest_table_is_due(changelog) -> None:
    """Else: `harbor-conformance kit spec vectors` prints it."""
    assert changelog == CHANGELOG


def test_the_changelog_says_what_the_locks_say(changelog, suites) -> None:
    assert problems(changelog, suites, __version__) == []


@pytest.mark.parametrize("spec", spec_names())
def test_a_digest_is_that_of_every_report(changelog, suites, spec) -> None:
    (one,) = (one for one in suites if one.spec == spec)
    newest = releases_of(changelog)[0].rows[spec]
    report = vector_set_json(one.vectors)
    assert report["digest"].startswith(f"sha256:{newest.digest}")
    assert report["total"] == newest.total
    for release in releases_of(CHANGELOG)[
        1:
    ]:  # with --vectors-version, but where some were were retired since
        row = release.rows.get(spec)
        if row is not None and row.total == len(one.until(release.version)):
            assert vector_set_json(one.until(release.version))["digest"].startswith(f"sha256:{row.digest}")


def test_what_is_retired_or_corrected_must_be_told_of(changelog, suites) -> None:
    (one,) = (one for one in suites if one.spec == "harbor-0.13.1")
    gone, *left = one.vectors
    lock = dataclasses.replace(
        one.lock,
        vectors={key: digest for key, digest in one.lock.vectors.items() if key != gone.id},
        retired={gone.id: "it said nothing"},
        accepted=[{"id": left[0].id, "reason": "a mistake of ours", "from": "sha256:0", "to": "sha256:1"}],
    )
    said = problems(changelog, changed(suites, "harbor-0.13.1", vectors=left, lock=lock), __version__)
    assert any(
        "should have | harbor-0.13.1 | " in one and f" | 1 | 1 | {len(left):,} | " in one for one in said
    )


def test_a_vector_of_a_release_that_is_past_is_no_way_out(changelog, suites) -> None:
    (one,) = (one for one in suites if one.spec == "harness-evals")
    new = dataclasses.replace(one.vectors[0], id="harness-evals/score/brand-new", since="0.3.0")
    said = problems(changelog, changed(suites, "harness-evals", vectors=[*one.vectors, new]), __version__)
    assert "0.3.0, harness-evals: 393 new, 394 of them are left, and 0 were retired since" in said


@pytest.mark.parametrize(
    ("old", "new", "sentence"), json.loads(Path(__file__).with_name("misfits.json").read_text("utf-8"))
)
def test_what_does_not_fit_is_told(developing, suites, old, new, sentence) -> None:
    old, new, sentence = (text.replace("{release}", RELEASE) for text in (old, new, sentence))
    assert old in developing
    found = problems(developing.replace(old, new, 1), suites, f"{RELEASE}.dev0")
    assert any(sentence in one for one in found)


def test_a_patch_that_changes_no_vector_is_fine(developing, suites) -> None:
    """The release that comes after this one and changes the kit alone."""
    number, day = f"{RELEASE.rpartition('.')[0]}.{int(RELEASE.rpartition('.')[2]) + 1}", "2027-01-31"
    released = developing.replace(UNRELEASED, f"## {RELEASE}, {day}", 1)
    rows = [dataclasses.replace(row, new=0, retired=0) for row in releases_of(released)[0].rows.values()]
    patched = released.replace(f"## {RELEASE}", f"## {number}, unreleased\n\n{table(rows)}\n## {RELEASE}", 1)
    assert problems(patched, suites, f"{number}.dev0+g1a2b3c4d5") == []
    assert problems(released, suites, RELEASE) == []


def test_the_kit_the_vectors_and_the_changelog_have_one_version(suites) -> None:
    """A patch brings no vector: the newest then came with an earlier release."""
    releases = releases_of(CHANGELOG)
    assert releases[0].name == RELEASE
    with_vectors = next(one for one in releases if any(row.new for row in one.rows.values()))
    for suite in suites:
        newest = max(
            (one.since for one in suite.vectors), key=lambda since: tuple(map(int, since.split(".")))
        )
        assert newest == with_vectors.name


def test_the_table_is_printed_for_those_who_release(changelog, cli) -> None:
    done = cli("kit", "spec", "vectors")
    assert (done.returncode == 0) is (changelog == CHANGELOG)
    assert done.stdout in changelog
