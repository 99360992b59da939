"""What the package index knows of a published release: its day, its neighbours, and packages that go with it.

uv asks the index, so that whatever index a user has set up for uv is the one that is asked.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from conformance.oracle.building import cause, network_advice
from conformance.oracle.python import Completed, OracleError, Python, run

__all__ = ["HeldBack", "Index", "Resolved"]

_SECONDS = 300.0
_BEFORE_ALL = "2000-01-01"
_PUBLISHED = re.compile(r"published at (\d{4}-\d\d-\d\d)")
_LACKS = re.compile(
    r"\bonly ([A-Za-z0-9][\w.-]*?)(?:\[[^]]*\])?(?:[<>=!~]\S*)? (?:and \S+ )*(?:is|are) available"
    r"|\bthere (?:is|are) no versions? of ([A-Za-z0-9][\w.-]*?)(?:\[[^]]*\])?(?:[<>=!~]|[ ,])"
)
_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)==(\S+)")
_MOST_HELD_BACK = 5


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A package that is installed in a version that the release does not ask for, since no other is to be had."""

    package: str
    reason: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The packages of a release, each ``name==version``; ``day`` is the last one whose uploads count."""

    pins: tuple[str, ...]
    published: date | None
    day: date | None
    held_back: tuple[HeldBack, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The index as uv has it, for a package on a Python."""

    uv: str
    python: Python
    package: str

    def newest(self) -> str:
        """The newest published version.

        Raises:
            OracleError: the index does not answer.
        """
        done = self._compile(self.package, "--no-deps", "--refresh-package", self.package)
        found = self._version_in(done)
        if found is None:
            raise OracleError(
                f"The newest {self.package} can't be found out ({cause(done)}){network_advice(done)}."
            )
        return found

    def resolve(self, version: str) -> Resolved:
        """What the release installs: as of the day of its upload, where the index tells days.

        Packages are held back where the release asks for what the index does not have.

        Raises:
            OracleError: there is no such release, no network, or packages that can't go together.
        """
        published = self._published(version)
        days: list[date | None] = [None] if published is None else [published + timedelta(days=1), None]
        done, held = None, ()
        for day in days:
            done, held = self._held_back(version, day)
            if done.returncode == 0:
                pins = tuple(line.strip() for line in done.stdout.splitlines() if _PIN.match(line))
                return Resolved(pins, published, day, held)
        assert done is not None
        raise OracleError(
            f"The packages that {self.package} {version} needs can't be found "
            f"({cause(done)}){network_advice(done)}."
        )

    def _held_back(self, version: str, day: date | None) -> tuple[Completed, tuple[HeldBack, ...]]:
        """The packages; each that the index lacks is tried without what is asked of its version."""
        held: tuple[HeldBack, ...] = ()
        until = () if day is None else ("--exclude-newer", day.isoformat())
        with tempfile.TemporaryDirectory(prefix="harbor-conformance-") as folder:
            file = Path(folder) / "overrides.txt"
            while True:
                file.write_text("".join(f"{one.package}\n" for one in held), encoding="utf-8")
                wanted = f"{self.package}=={version}"
                done = self._compile(wanted, "--no-build", *until, "--override", str(file))
                known = {self.package, *(one.package for one in held)}
                lacking = next((name for name in _lacking(done) if name not in known), None)
                if done.returncode == 0 or lacking is None or len(held) == _MOST_HELD_BACK:
                    return done, held
                held += (HeldBack(lacking, _reason(done, lacking)),)

    def _published(self, version: str) -> date | None:
        """The day of the release; None where the index does not tell."""
        wanted = f"{self.package}=={version}"
        done = self._compile(wanted, "--no-deps", "--exclude-newer", _BEFORE_ALL)
        match = _PUBLISHED.search(done.stderr)
        if match:
            return date.fromisoformat(match[1])
        done = self._compile(wanted, "--no-deps", "--refresh-package", self.package)
        if done.returncode != 0:
            raise self._unknown(version, done)
        return None

    def _unknown(self, version: str, done: Completed) -> OracleError:
        older = self._version_in(self._compile(f"{self.package}<{version}", "--no-deps"))
        newer = self._version_in(
            self._compile(f"{self.package}>{version}", "--no-deps", "--resolution", "lowest")
        )
        near = " and ".join(each for each in (older, newer) if each)
        if not near:
            return OracleError(
                f"The index can't be asked for {self.package} {version} ({cause(done)}){network_advice(done)}."
            )
        which = "the nearest are" if older and newer else "the nearest is"
        return OracleError(f"There is no published {self.package} {version}: {which} {near}.")

    def _compile(self, wanted: str, *options: str) -> Completed:
        plain = ("--quiet", "--no-header", "--no-annotate", "--color", "never")
        command = (self.uv, "pip", "compile", *plain, "--python", str(self.python.path), *options, "-")
        return run(
            command, _SECONDS, "Asking the package index", cwd=Path(tempfile.gettempdir()), given=wanted
        )

    def _version_in(self, done: Completed) -> str | None:
        if done.returncode != 0:
            return None
        matches = map(_PIN.match, done.stdout.splitlines())
        return next((match[2] for match in matches if match and match[1] == self.package), None)


def _lacking(done: Completed) -> Iterator[str]:
    """The packages of which the index has no version that is asked for, as uv tells them."""
    for match in _LACKS.finditer(_on_one_line(done)):
        yield (match[1] or match[2]).lower()


def _reason(done: Completed, package: str) -> str:
    told: Sequence[str] = _on_one_line(done).split(", we can conclude")
    first = next((part for part in told if package in part), told[0])
    return first.removeprefix("error: No solution found when resolving dependencies cause: Because ")[:300]


def _on_one_line(done: Completed) -> str:
    return " ".join(done.stderr.split())
