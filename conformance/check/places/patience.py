"""Asks a server again where that can help, and says in one sentence where it did not.

What the libraries raise holds URLs, and those may hold signatures: only the status and the class of
an error are taken from it.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from conformance.check.places.locations import PlaceError

__all__ = ["Incomplete", "Pace"]

_T = TypeVar("_T")
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
MOST_ASKED = 8
"""Times that a server is asked which answers, but not with the file."""
MOST_DIALLED = 5
"""Times that a server is called which does not answer."""
FIRST = 0.5
"""Seconds until it is asked a second time; then twice as long each time."""
LONGEST = 60.0
"""The most seconds between two attempts, unless the server says how long it wants to be left alone."""
MOST_PATIENT = 600.0
"""The most seconds that a server may ask for."""
_BUSY = (429, 503)
_NETWORK = (
    "aiohttp",
    "aiobotocore",
    "botocore",
    "fsspec",
    "google",
    "httpcore",
    "httpx",
    "requests",
    "urllib3",
)


class Incomplete(Exception):  # noqa: N818 - it is an answer, not an error of the program
    """An answer that ended too early, or another file than was listed."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is known of an error."""

    status: int | None
    after: float | None
    """Seconds that the server asks for."""
    name: str
    network: bool
    """Whether there was no answer at all, or half of one."""


@dataclass
class Pace:
    """How fast a server is asked; what it says to one connection holds for all."""

    where: str
    random: Callable[[], float] = random.random
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _not_before: float = 0.0

    def stop(self) -> None:
        """Ends every wait with an error."""
        self._stop.set()

    def ask(self, what: str, call: Callable[[], _T]) -> _T:
        """What the call gives, sooner or later; `what` it asks for is named in the error.

        Raises:
            PlaceError: it gives nothing.
        """
        began = time.monotonic()
        count = 0
        while True:
            self._wait(what)
            count += 1
            try:
                return call()
            except PlaceError:
                raise
            except Exception as error:
                answer = _answer(error)
                again = MOST_ASKED if answer.status in _AGAIN else MOST_DIALLED if answer.network else 0
                asked = answer.after or 0.0
                if count >= again or asked > MOST_PATIENT:
                    raise PlaceError(_sentence(what, answer, count, time.monotonic() - began)) from None
                pause = min(LONGEST, FIRST * 2 ** (count - 1)) * (0.5 + self.random() / 2)
                if answer.status in _BUSY:
                    self._all_wait(max(asked, pause))
                else:
                    self._sleep(max(asked, pause), what)

    def _all_wait(self, pause: float) -> None:
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + pause)

    def _wait(self, what: str) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            self._sleep(left + self.random() * min(left, 1.0) / 2, what)  # not all at the same moment
        if self._stop.is_set():
            raise PlaceError(f"{what}: not fetched")

    def _sleep(self, seconds: float, what: str) -> None:
        if self._stop.wait(seconds):
            raise PlaceError(f"{what}: not fetched")


def _sentence(what: str, answer: _Answer, count: int, seconds: float) -> str:
    times = f"asked {count} times in {seconds:.0f} s" if count > 1 else "asked once"
    kept = "what was fetched is kept"
    status = answer.status
    if status in (401, 403) or answer.name in ("NoCredentialsError", "PermissionError"):
        said = f" ({status})" if status else ""
        return (
            f"{what}: access is refused{said}: check the credentials of the library that fetches it "
            "(see the documents, `checking-a-leaderboard`)"
        )
    if status in (404, 410) or answer.name == "FileNotFoundError":
        return f"{what}: there is nothing of that name"
    if answer.after is not None and answer.after > MOST_PATIENT:
        wait = f"and asks to wait {answer.after:.0f} s: run this again then"
        return f"{what}: the server answers {status} {wait}; {kept}"
    if status is not None and status >= 400:
        later = f": run this again later; {kept}" if status in _AGAIN else ""
        return f"{what}: the server answers {status}, {times}{later}"
    if answer.name == "Incomplete":
        return f"{what}: the answer has another length than was told, {times}: run this again; {kept}"
    if answer.network:
        return (
            f"{what}: no connection ({answer.name}), {times}: check the network, then run this again; {kept}"
        )
    return f"{what}: it can't be fetched ({answer.name})"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error not in seen and len(seen) < 10:
        seen.append(error)
        yield error
        following = error.__cause__ or error.__context__
        if following is None:
            return
        error = following


def _answer(error: BaseException) -> _Answer:
    """What an error of any of the libraries says."""
    status: int | None = None
    after: float | None = None
    for one in _chain(error):
        found, headers = _status(one)
        if status is None and found is not None:
            status = found
            after = _seconds(headers)
    first = type(error).__name__
    network = status is None and any(_is_network(one) for one in _chain(error))
    if isinstance(error, (FileNotFoundError, PermissionError)) or "Credentials" in first:
        network = False
    return _Answer(status, after, first, network)


def _is_network(error: BaseException) -> bool:
    if isinstance(error, (ConnectionError, TimeoutError, EOFError, Incomplete)):
        return True
    module = type(error).__module__
    return module.startswith(_NETWORK) or type(error).__name__ in ("TimeoutError", "IncompleteRead")


def _status(error: BaseException) -> tuple[int | None, Any]:
    """The HTTP status of an answer and its headers."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore's
        told = response.get("ResponseMetadata", {})
        return _number(told.get("HTTPStatusCode")), told.get("HTTPHeaders", {})
    if response is not None and getattr(response, "status_code", None) is not None:  # httpx's, requests'
        return _number(response.status_code), getattr(response, "headers", {})
    if getattr(error, "status", None):  # aiohttp's
        return _number(getattr(error, "status", None)), getattr(error, "headers", None) or {}
    ours = type(error).__module__.startswith("gcsfs")  # others have codes of their own making
    return (_number(getattr(error, "code", None)) if ours else None), {}


def _number(told: Any) -> int | None:
    try:
        return int(told)
    except (TypeError, ValueError):
        return None


def _seconds(headers: Any) -> float | None:
    """What Retry-After says: seconds, or a date."""
    try:
        told = headers.get("Retry-After") or headers.get("retry-after")
    except AttributeError:
        return None
    if not told:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(str(told)).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
