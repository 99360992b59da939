"""Queries the package index for published releases: upload date, neighbours, and compatible packages.

uv does the queries, so that the user's uv configuration applies.
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
    """A package in another version than required, since the index has no matching version."""

    package: str
    reason: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The packages of a release or a checkout."""

    installed: tuple[str, ...]
    """Every package as ``name==version``."""
    version: str = ""
    """The release."""
    published: str | None = None
    """Its upload date, if the index has dates."""
    as_of: str | None = None
    """The first date whose uploads were ignored."""
    held_back: tuple[HeldBack, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """The index as configured for uv, for a package on a Python."""

    uv: str
    python: Python
    package: str

    def newest(self) -> str:
        """The newest published version.

        Raises:
            OracleError: the index does not answer.
        """
        done = self._compile(self.package, "--no-deps", "--refresh-package", self.package)
        for match in map(_PIN.match, done.stdout.splitlines() if done.returncode == 0 else ()):
            if match and match[1] == self.package:
                return match[2]
        why = f"({cause(done)}){network_advice(done)}"
        raise OracleError(f"The newest {self.package} can't be found out {why}.")

    def resolve(self, version: str) -> Resolved:
        """The packages of the release, as of its upload date if the index has dates.

        Packages are held back if the release requires versions that the index does not have.

        Raises:
            OracleError: there is no such release, no network, or the packages are incompatible.
        """
        published = self._published(version)
        days: list[date | None] = [None] if published is None else [published + timedelta(days=1), None]
        wanted = f"{self.package}=={version}"
        for day in days:
            done, held = self.held_back("-", day, wanted, "--no-build")
            if done.returncode == 0:
                came, as_of = (None if moment is None else moment.isoformat() for moment in (published, day))
                return Resolved(_pins(done), version, came, as_of, held)
        raise self._not_found(f"{self.package} {version}", done)

    def resolve_project(self, folder: Path) -> Resolved:
        """A checkout's dependencies, from its ``uv.lock``, or else from its ``pyproject.toml``.

        Raises:
            OracleError: this can't be determined.
        """
        if (folder / "uv.lock").is_file():
            plain = ("--quiet", "--no-header", "--no-annotate", "--no-hashes", "--color", "never")
            own = ("--frozen", "--no-dev", "--no-emit-workspace", "--python", str(self.python.path))
            done = run((self.uv, "export", *plain, *own), _SECONDS, "`uv export`", cwd=folder)
            pins = [line.strip() for line in done.stdout.splitlines() if line[:1].isalnum()]
            if done.returncode == 0 and pins:
                return Resolved(tuple(pins))
        done, held = self.held_back(str(folder / "pyproject.toml"), None)
        if done.returncode == 0:
            return Resolved(_pins(done), held_back=held)
        raise self._not_found(str(folder), done)

    def _not_found(self, subject: str, done: Completed) -> OracleError:
        return OracleError(f"What {subject} needs can't be found ({cause(done)}){network_advice(done)}.")

    def held_back(
        self, source: str, day: date | None, wanted: str = "", *options: str
    ) -> tuple[Completed, tuple[HeldBack, ...]]:
        """The packages; those that the index lacks are tried without the version requirement."""
        held: tuple[HeldBack, ...] = ()
        until = () if day is None else ("--exclude-newer", day.isoformat())
        with tempfile.TemporaryDirectory(prefix="harbor-conformance-") as folder:
            file = Path(folder) / "overrides.txt"
            while True:
                file.write_text("".join(f"{lacked.package}\n" for lacked in held), encoding="utf-8")
                done = self._compile(wanted, *options, *until, "--override", str(file), source=source)
                known = {self.package, *(lacked.package for lacked in held)}
                lacking = next((name for name in _missing_packages(done) if name not in known), None)
                if done.returncode == 0 or lacking is None or len(held) == _MOST_HELD_BACK:
                    return done, held
                held += (HeldBack(lacking, _reason(done, lacking)),)

    def _published(self, version: str) -> date | None:
        """The upload date of the release; None if the index has no dates."""
        wanted = f"{self.package}=={version}"
        done = self._compile(wanted, "--no-deps", "--exclude-newer", _BEFORE_ALL)
        match = _PUBLISHED.search(done.stderr)
        if match:
            return date.fromisoformat(match[1])
        done = self._compile(wanted, "--no-deps", "--refresh-package", self.package)
        if done.returncode == 0:
            return None
        if advice := network_advice(done):
            raise OracleError(
                f"The index can't be asked for {self.package} {version} ({cause(done)}){advice}."
            )
        raise OracleError(f"There is no published {self.package} {version} ({cause(done)}).")

    def _compile(self, wanted: str, *options: str, source: str = "-") -> Completed:
        plain = ("--quiet", "--no-header", "--no-annotate", "--color", "never")
        command = (self.uv, "pip", "compile", *plain, "--python", str(self.python.path), *options, source)
        # A project's own settings apply only to its own packages.
        where = Path(tempfile.gettempdir()) if source == "-" else Path(source).parent
        return run(command, _SECONDS, "Asking the package index", cwd=where, input_text=wanted)


def _pins(done: Completed) -> tuple[str, ...]:
    return tuple(line.strip() for line in done.stdout.splitlines() if line[:1].isalnum())


def _missing_packages(done: Completed) -> Iterator[str]:
    """The packages without a matching version in the index, parsed from uv's message."""
    for match in _LACKS.finditer(_on_one_line(done)):
        yield (match[1] or match[2]).lower()


def _reason(done: Completed, package: str) -> str:
    reasons: Sequence[str] = _on_one_line(done).split(", we can conclude")
    first = next((part for part in reasons if package in part), reasons[0])
    return first.removeprefix("error: No solution found when resolving dependencies cause: Because ")[:300]


def _on_one_line(done: Completed) -> str:
    return " ".join(done.stderr.split())
