"""Checks the CHANGELOG's tables of vectors against the vectors and their locks (docs/versions.md).

For each spec, a release lists the numbers of new, retired and corrected vectors, the total, and their digest
as in run reports. If a row is wrong, the check prints the right one.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.paths import vectors_dir
from conformance.suite.lock import Lock, meaning
from conformance.suite.vectors import Vector, load_spec

__all__ = ["HEAD", "Release", "Row", "Suite", "expected_rows", "problems", "releases_of", "suite_of", "table"]

HEAD = "| vectors of | new | retired | corrected | total | digest |\n|---|---|---|---|---|---|\n"
_HEADING = re.compile(r"## ([0-9]+\.[0-9]+\.[0-9]+)(?:, (unreleased|[0-9]{4}-[0-9]{2}-[0-9]{2}))?")
_ROW = re.compile(
    r"^\| ([a-z][\w.-]*) \| ([0-9,]+) \| ([0-9,]+) \| ([0-9,]+) \| ([0-9,]+) \| `([0-9a-f]{16})` \|$",
    re.MULTILINE,
)
_DIGITS = 16
"""How many of a digest's 64 digits are shown."""

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A release's row for the vectors of one spec."""

    spec: str
    new: int
    retired: int
    corrected: int
    total: int
    digest: str

    def __str__(self) -> str:
        numbers = " | ".join(f"{n:,}" for n in (self.new, self.retired, self.corrected, self.total))
        return f"| {self.spec} | {numbers} | `{self.digest}` |"


@dataclass(frozen=True, slots=True)
class Release:
    """A section of the CHANGELOG."""

    version: Version
    unreleased: bool
    rows: Mapping[str, Row]

    @property
    def name(self) -> str:
        """The version as text."""
        return ".".join(map(str, self.version))


@dataclass(frozen=True, slots=True)
class Suite:
    """The vectors of one spec, and their lock."""

    spec: str
    vectors: Sequence[Vector]
    lock: Lock

    def count(self, version: Version) -> int:
        """Return the number of vectors added in a version."""
        return sum(_version(vector.since) == version for vector in self.vectors)

    def until(self, version: Version) -> list[Vector]:
        """Return the vectors of a version and of earlier ones."""
        return [vector for vector in self.vectors if _version(vector.since) <= version]

    def digest(self, version: Version) -> str:
        """Return the digest of the vectors up to a version, as in reports, but computed from the lock.

        The lock of an overlay holds only its own vectors.
        """
        digest = hashlib.sha256()
        for vector in sorted(self.until(version), key=lambda vector: vector.id):
            locked = self.lock.vectors.get(vector.id) or meaning(vector)
            digest.update(f"{vector.id} {locked}\n".encode())
        return digest.hexdigest()[:_DIGITS]


def suite_of(spec: str) -> Suite:
    """Load the current vectors of a spec, and their lock.

    Raises:
        LockError, VectorFileError: a file can't be read.
    """
    return Suite(spec, load_spec(spec, package=True), Lock.read(vectors_dir(spec) / "lock.json", spec))


def _version(text: str) -> Version:
    return tuple(int(number) for number in text.split("."))


def releases_of(changelog: str) -> list[Release]:
    """Return the releases in the CHANGELOG, newest first."""
    releases = []
    for heading, text in _sections(changelog):
        if (named := _HEADING.fullmatch(heading)) is None:
            continue
        rows = {}
        for spec, *cells, digest in _ROW.findall(text):
            new, retired, corrected, total = (int(cell.replace(",", "")) for cell in cells)
            rows[spec] = Row(spec, new, retired, corrected, total, digest)
        releases.append(Release(_version(named[1]), named[2] == "unreleased", rows))
    return releases


def _sections(changelog: str) -> list[tuple[str, str]]:
    """Return the second-level headings with their content."""
    _, *parts = re.split(r"^(## .*)$", changelog, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def expected_rows(suites: Sequence[Suite], releases: Sequence[Release]) -> list[Row]:
    """Return the rows of the newest release, which cover everything that earlier releases do not."""
    version = releases[0].version

    def earlier(spec: str, member: str) -> int:
        return sum(getattr(release.rows[spec], member) for release in releases[1:] if spec in release.rows)

    return [
        Row(
            suite.spec,
            suite.count(version),
            len(suite.lock.retired) - earlier(suite.spec, "retired"),
            len(suite.lock.accepted) - earlier(suite.spec, "corrected"),
            len(suite.until(version)),
            suite.digest(version),
        )
        for suite in suites
    ]


def table(rows: Sequence[Row]) -> str:
    """Return the table in the CHANGELOG's format."""
    return HEAD + "".join(f"{row}\n" for row in rows)


def problems(changelog: str, suites: Sequence[Suite], kit: str) -> list[str]:
    """Return a sentence for each contradiction of the CHANGELOG, vectors, locks and the kit's version."""
    if strange := [heading for heading, _ in _sections(changelog) if not _HEADING.fullmatch(heading)]:
        advice = "is not a release heading: write '## 1.2.3, 2027-01-31' or '## 1.2.3, unreleased'"
        return [f"{heading!r} {advice}" for heading in strange]
    releases = releases_of(changelog)
    by_spec = {suite.spec: suite for suite in suites}
    return [
        *_order(releases, kit),
        *_newest(releases, suites),
        *(problem for last in range(1, len(releases)) for problem in _earlier(releases[: last + 1], by_spec)),
        *(problem for newer, older in pairwise(releases) for problem in _step(newer, older)),
    ]


def _order(releases: Sequence[Release], kit: str) -> Iterator[str]:
    for newer, older in pairwise(releases):
        if newer.version <= older.version:
            yield f"{newer.name} comes before {older.name}, but the newest must come first"
        if older.unreleased:
            yield f"{older.name} is unreleased, but not the first"
    newest = releases[0]
    release, development, _ = kit.partition(".dev")
    if newest.name != release:
        yield f"the kit is {release}, but the newest release in the CHANGELOG is {newest.name}"
    elif newest.unreleased != bool(development):
        state = "unreleased" if newest.unreleased else "released"
        yield f"the CHANGELOG says that {newest.name} is {state}, but the kit is {kit}"


def _newest(releases: Sequence[Release], suites: Sequence[Suite]) -> Iterator[str]:
    newest = releases[0]
    for row in expected_rows(suites, releases):
        written = newest.rows.get(row.spec)
        if written != row:
            yield f"{newest.name} has {written or 'no row for ' + row.spec}, but should have {row}"
    known = {release.version for release in releases}
    for suite in suites:
        for since in sorted({vector.since for vector in suite.vectors}):
            if _version(since) not in known:
                when = "" if _version(since) < max(known) else ", which is newer than all its releases"
                yield f"{suite.spec} has vectors since {since}{when}, but the CHANGELOG has no such release"
        if gone := set(suite.lock.retired) & {vector.id for vector in suite.vectors}:
            yield f"{min(gone)} is retired, but still among the vectors of {suite.spec}"


def _earlier(releases: Sequence[Release], suites: Mapping[str, Suite]) -> Iterator[str]:
    """Check the last of these releases, whose numbers must fit even if vectors were retired since."""
    *later, release = releases
    for spec, row in release.rows.items():
        if (suite := suites.get(spec)) is None:
            continue
        retired = sum(newer.rows[spec].retired for newer in later if spec in newer.rows)
        where, since = f"{release.name}, {spec}", f"are left, and {retired:,} were retired since"
        left, total = suite.count(release.version), len(suite.until(release.version))
        if not left <= row.new <= left + retired:
            yield f"{where}: {row.new:,} new, {left:,} of them {since}"
        if not total <= row.total <= total + retired:
            yield f"{where}: {row.total:,} in total, {total:,} of them {since}"
        if row.total == total and row.digest != suite.digest(release.version):
            yield f"{where}: the digest of the locked vectors is `{suite.digest(release.version)}`"


def _step(newer: Release, older: Release) -> Iterator[str]:
    """Check the changes from one release to the next; a patch release must not change vectors."""
    for spec, row in older.rows.items():
        now = newer.rows.get(spec)
        if now is None:
            yield f"{newer.name} has no row for {spec}, but {older.name} has one"
        elif not row.total + now.new - now.retired <= now.total <= row.total + now.new:
            yield f"{newer.name}, {spec}: {row.total:,} before and {now.new:,} new do not give {now.total:,}"
    if newer.version[:2] == older.version[:2]:
        for row in newer.rows.values():
            before = older.rows.get(row.spec)
            if row.new or row.retired or row.corrected or before is None or before.digest != row.digest:
                yield f"{newer.name} is a patch of {older.name}, but the vectors of {row.spec} differ"
