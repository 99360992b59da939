"""Databases of shared counterexamples: the values of ``--conformance-counterexample-database``.

Nothing is opened here, and hypothesis is not imported; ``properties.databases`` does that.
"""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from conformance.option_names import prefixed
from conformance.run.commands import CommandError
from conformance.wire.text import shortened

__all__ = ["Database", "database_of"]

_OPTION = prefixed("counterexample-database")
_GITHUB = re.compile(r"github:([\w.-]+)/([\w.-]+)(?:/([\w.-]+))?", re.ASCII)
_ARTIFACT = "hypothesis-example-db"
"""Hypothesis's default name of the artifact."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\\)")


@dataclass(frozen=True, slots=True)
class Database:
    """One database of counterexamples."""

    kind: str
    """``folder``, ``redis`` or ``github``."""
    given: str
    """The user's value, which may contain a password; print ``shown`` instead."""
    shown: str
    github: tuple[str, str, str] = ("", "", "")
    """Owner, repository and artifact."""

    @property
    def secret(self) -> bool:
        """Whether the user's value contains a secret."""
        return self.shown != self.given


def database_of(text: str) -> Database:
    """Parses the user's value.

    Raises:
        CommandError: the kind is unknown, or needs a package that is not installed.
    """
    match = _SCHEME.match(text)
    scheme = match[0].rstrip(":").lower() if match else ""
    if scheme in ("redis", "rediss"):
        return _redis(text, scheme)
    if scheme == "github":
        found = _GITHUB.fullmatch(text)
        if found is None:
            raise CommandError(f"{_OPTION} {shortened(text, 80)}: write github:OWNER/REPO or …/ARTIFACT")
        return Database("github", text, text, (found[1], found[2], found[3] or _ARTIFACT))
    if scheme or not text.strip():
        raise CommandError(
            f"{_OPTION}: it names a folder, redis://HOST:PORT/N or github:OWNER/REPO"
            + (f", not a {shortened(scheme, 20)}: address" if scheme else "")
        )
    return Database("folder", text, shortened(text, 200))


def _redis(text: str, scheme: str) -> Database:
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:  # the message would quote the address and its password
        raise CommandError(
            f"{_OPTION}: the address of {scheme} can't be read: {scheme}://HOST:PORT/N"
        ) from None
    if not parts.hostname:
        raise CommandError(f"{_OPTION}: the address names no host: {scheme}://HOST:PORT/N")
    if find_spec("redis") is None:
        raise CommandError(f"{_OPTION} {scheme}: needs the extra: pip install 'harbor-conformance[redis]'")
    secret = "***@" if "@" in parts.netloc else ""
    shown = shortened(f"{scheme}://{secret}{parts.hostname}{port}{parts.path}", 200)
    return Database("redis", text, shown)
