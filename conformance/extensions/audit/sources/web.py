"""Archives of a web server.

Whether a file has changed is for the server to say, by the ETag or the time that it gave with it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conformance.extensions.audit.sources.filling import Got
from conformance.extensions.audit.sources.locations import PlaceError
from conformance.extensions.audit.sources.cache import Entry
from conformance.extensions.audit.sources.remote import Remote
from conformance.extensions.audit.sources.retry import Incomplete
from conformance.wire.untrusted_files import quantity

_SECONDS = 60
"""How long a server may be silent."""
_PIECE = 2**20

_Answer = Any
"""What a server says before the content, a response of aiohttp; the library is slow to load."""


class Web(Remote):
    """A file of a web server."""

    def entries(self, got: Got) -> Iterator[Entry]:
        """Refuses: web servers have no listing that programs can rely on."""
        raise PlaceError(f"{self.where}: a web server does not list folders: name an archive, or a bucket")

    def archive(self, target: Path, known: str | None, tell: Callable[[str], None]) -> str | None:
        """Fetches an archive, if it has changed."""

        def get() -> _Answer:
            from fsspec.asyn import sync

            with target.open("wb") as file:

                def take(piece: bytes) -> None:
                    file.write(piece)
                    tell(f"fetching {self.where}: {quantity(file.tell(), 'bytes')}")

                answer = sync(self.system.loop, self._asked, _unless(known), take)
            if answer is None:  # the task was cancelled, as where an answer is left half-way
                raise Incomplete
            return answer

        answer = self.pace.ask(self.where, get)
        return None if answer.status == 304 else _version(answer)

    async def _asked(self, headers: dict[str, str], take: Callable[[bytes], None]) -> _Answer:
        """Asks once, in the file system's own thread; what comes is handed on piece by piece."""
        import aiohttp
        from yarl import URL

        session = await self.system.set_session()
        options = dict(self.system.kwargs)
        headers = {**options.pop("headers", {}), **headers, "Accept-Encoding": "identity"}
        patience = aiohttp.ClientTimeout(total=None, sock_connect=_SECONDS, sock_read=_SECONDS)
        asking = session.get(URL(self.path, encoded=True), headers=headers, timeout=patience, **options)
        async with asking as answer:
            answer.raise_for_status()
            while answer.status != 304 and (piece := await answer.content.read(_PIECE)):
                take(piece)
            return answer


def _version(answer: _Answer) -> str:
    """What changes with the content, as the server says; empty if it does not."""
    for form, header in (("etag", "ETag"), ("time", "Last-Modified")):
        if value := answer.headers.get(header):
            return f"{form}:{value}"
    return ""


def _unless(known: str | None) -> dict[str, str]:
    """Headers that ask for a file unless it is still the one that is known."""
    form, _, value = (known or "").partition(":")
    if form == "etag":
        return {"If-None-Match": value}
    return {"If-Modified-Since": value} if form == "time" else {}
