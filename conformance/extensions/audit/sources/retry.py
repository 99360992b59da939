"""Repeats requests where that can help, and explains a failure in one sentence.

The libraries' errors contain URLs, and those may contain signatures: only an error's status and class are
used.
"""

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from conformance.extensions.audit.sources import PlaceError

_T = TypeVar("_T")
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
_BUSY = (429, 503)
MAX_REQUESTS = 8
"""The most requests for a file."""
FIRST_CONNECT_ATTEMPTS = 2
"""The most attempts for a server that never answered: it probably does not exist."""
FIRST_DELAY = 0.5
"""Seconds before the second attempt; doubled each time."""
LONGEST_DELAY = 60.0
"""The most seconds between two attempts, unless the server demands more."""
MAX_RETRY_AFTER = 600.0
"""The most seconds that a server may demand."""
_HTTP = ("aiohttp", "aiobotocore", "botocore", "fsspec", "google", "httpcore", "httpx", "requests", "urllib3")
"""The libraries for networks."""
_BY_NAME = ("TimeoutError", "IncompleteRead")


class Incomplete(Exception):  # noqa: N818 - it is an answer, not an error of the program
    """A truncated response, or another file than was listed."""


class _Failure(NamedTuple):
    """The useful parts of an error from any of the libraries."""

    name: str
    status: int | None = None
    after: float = 0.0
    network: bool = False
    """Whether there was no answer, or only a part of one."""

    @classmethod
    def of(cls, error: BaseException) -> "_Failure":
        """The error's name, and the first status in its chain of causes."""
        name, chain = type(error).__name__, list[BaseException]()
        cause: BaseException | None = error
        while cause is not None and len(chain) < 10:  # a chain may be circular
            chain.append(cause)
            cause = cause.__cause__ or cause.__context__
        for status, headers in map(_answer, chain):
            if status is not None:
                return cls(name, status, _seconds(headers))
        refused = isinstance(error, PermissionError) or "Credentials" in name
        network = (type(one).__name__ for one in chain if not refused and _is_network(one))
        return next((cls(of, network=True) for of in network), cls(name))

    def sentence(self, what: str, count: int, seconds: float) -> str:
        """What to do about it, in a sentence."""
        times = f"asked {count} times in {seconds:.0f} s" if count > 1 else "asked once"
        status, later = self.status, "run this again later; what was fetched is kept"
        why = f"it can't be fetched ({self.name})"
        if status in (401, 403) or self.name in ("NoCredentialsError", "PermissionError"):
            why = f"access is refused{f' ({status})' if status else ''}: check the credentials of the "
            why += "library that fetches it (see the documents, `checking-a-leaderboard`)"
        elif status in (404, 410) or (status is None and self.name == "FileNotFoundError"):
            why = "there is nothing of that name"
        elif status is not None and status >= 400:
            why = f"the server answers {status}, {times}{f': {later}' * (status in _AGAIN)}"
        elif self.network:
            part = "another length than listed" if self.name == "Incomplete" else "no connection"
            why = f"{part} ({self.name}), {times}: check the network, then {later}"
        return f"{what}: {why}"


class RetryPolicy:
    """Paces requests to a server; its demands on one connection apply to all."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        """Interrupts every wait with an error, once it is set."""
        self._not_before = 0.0
        self._answered = False

    def ask(self, what: str, call: Callable[[], _T]) -> _T:
        """The result of a call, after retries; `what` is requested is named in the error.

        Raises:
            PlaceError: it gives nothing.
        """
        began, count = time.monotonic(), 0
        while True:
            while (left := self._not_before - time.monotonic()) > 0:
                self._sleep(left + random.random() * min(left, 1.0) / 2, what)  # noqa: S311 - not all at the same moment
            self._sleep(0, what)
            count += 1
            try:
                result = call()
                self._answered = True
                return result
            except PlaceError:
                raise
            except Exception as error:
                failure = _Failure.of(error)
            self._answered |= "Connect" not in failure.name
            most = MAX_REQUESTS if self._answered else FIRST_CONNECT_ATTEMPTS
            can_help = failure.status in _AGAIN or failure.network
            if not can_help or count >= most or failure.after > MAX_RETRY_AFTER:
                raise PlaceError(failure.sentence(what, count, time.monotonic() - began))
            pause = min(LONGEST_DELAY, FIRST_DELAY * 2 ** (count - 1)) * random.uniform(0.5, 1)  # noqa: S311
            pause = max(failure.after, pause)
            if failure.status in _BUSY:
                self._not_before = max(self._not_before, time.monotonic() + pause)
            else:
                self._sleep(pause, what)

    def _sleep(self, seconds: float, what: str) -> None:
        if self.stop.wait(seconds):
            raise PlaceError(f"{what}: not fetched")


def _is_network(error: BaseException) -> bool:
    of = type(error)
    known = isinstance(error, Incomplete | ConnectionError | TimeoutError | EOFError)
    return known or of.__module__.startswith(_HTTP) or of.__name__ in _BY_NAME


def _answer(error: BaseException) -> tuple[int | None, Any]:
    """The HTTP status of an answer and its headers, by botocore, httpx, requests, aiohttp or gcsfs."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):
        of = response.get("ResponseMetadata", {})
        found, headers = of.get("HTTPStatusCode"), of.get("HTTPHeaders")
    elif getattr(response, "status_code", None) is not None:
        found, headers = response.status_code, getattr(response, "headers", None)
    elif type(error).__module__.startswith("gcsfs"):  # others use codes of their own
        found, headers = getattr(error, "code", None), None
    else:
        found, headers = getattr(error, "status", None) or None, getattr(error, "headers", None)
    with suppress(TypeError, ValueError):
        return int(found), headers
    return None, None


def _seconds(headers: Any) -> float:
    """The seconds in Retry-After; 0 if there is none, or a date."""
    every = headers if isinstance(headers, Mapping) else {}
    given = str(every.get("Retry-After") or every.get("retry-after") or "")
    return float(given) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", given) else 0.0
