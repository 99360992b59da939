"""Index pages of a web server: folders are pages, and the links in them are what they hold.

Only links that lead to the next level below a page are followed. Whether a file has changed is for
the server to say, by the ETag or the time that it gave with it.
"""

import html
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from conformance.check.places.entries import Entry, Kind, checked_path
from conformance.check.places.locations import PlaceError, shown
from conformance.check.places.patience import Incomplete
from conformance.check.places.remote import Remote, read, room
from conformance.check.places.wanted import skipped_below
from conformance.check.reading.limits import quantity

__all__ = ["Web"]

_LINK = re.compile(rb"""<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_LARGEST_PAGE = 2**26
_SECONDS = 60
"""How long a server may be silent."""
_PIECE = 2**20


class Web(Remote):
    """A folder that a web server shows as an index page."""

    @property
    def top(self) -> str:
        """The location's own page."""
        split = urlsplit(self.path)
        return f"{split.scheme}://{split.netloc}{split.path.rstrip('/')}/"

    def entries(self) -> Iterator[Entry]:
        """What the pages show, a level at a time."""
        level = [("", self.top)]
        with ThreadPoolExecutor(max(1, self.workers), thread_name_prefix="listing") as pool:
            try:
                while level:
                    below: list[tuple[str, str]] = []
                    for found in pool.map(self._page, level):
                        below += [(one.path, str(one.source)) for one in found if one.kind is Kind.FOLDER]
                        yield from found
                    level = below
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _page(self, folder: tuple[str, str]) -> list[Entry]:
        above, url = folder
        name = f"{self.where}/{above}" if above else self.where
        kind, page = self.pace.ask(name, lambda: self._read(url))
        if kind != "text/html":
            raise PlaceError(f"{name}: the server shows no index page of it: name an archive, or a bucket")
        found: dict[str, Entry] = {}
        for match in _LINK.finditer(page):
            link = html.unescape(
                next(one for one in match.groups() if one is not None).decode("utf-8", "replace")
            )
            child = urljoin(url, link.strip())
            if not child.startswith(url) or "?" in child or "#" in child:
                continue
            part = child[len(url) :]
            title = unquote(part.rstrip("/"), errors="surrogateescape")
            if not part or "/" in part.rstrip("/") or "/" in title or title in (".", ".."):
                continue
            path = checked_path(f"{above}/{title}" if above else title, self.where)
            is_folder = part.endswith("/")
            found[path] = Entry(path, Kind.FOLDER if is_folder else Kind.FILE, None, None, child)
        names = {path.rpartition("/")[2]: one.kind for path, one in found.items()}
        skipped = skipped_below(names)
        return [one for path, one in found.items() if path.rpartition("/")[2] not in skipped]

    def _read(self, url: str) -> tuple[str, bytes]:
        pieces: list[bytes] = []
        answer = self._stream(url, {}, lambda _: pieces.append, _LARGEST_PAGE)
        return answer.kind, b"".join(pieces)

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        """Asks for a file, if it has changed."""
        name = f"{self.where}/{entry.path}"

        def get() -> _Answer:
            with target.open("wb") as file:
                answer = self._stream(str(entry.source), _unless(known), lambda _: file.write, most)
                if answer.longer is not None:
                    file.truncate(answer.longer)  # larger than is read: the size is what counts
                return answer

        answer = self.pace.ask(name, get)
        return None if answer.status == 304 else answer.version

    def archive(
        self, target: Path, noted: Path, known: str | None, tell: Callable[[str], None]
    ) -> str | None:
        """Fetches an archive from where it was broken off."""

        def get() -> _Answer:
            version = read(noted)
            begin = target.stat().st_size if version and target.exists() else 0
            asked = _unless(known)
            if begin:
                asked |= {"Range": f"bytes={begin}-", "If-Range": version.partition(":")[2]}

            with target.open("ab") as file:

                def begun(answer: _Answer) -> Callable[[bytes], object]:
                    if answer.status != 206:
                        file.truncate(0)
                    noted.write_text(answer.version, encoding="utf-8")
                    room(target, answer.length or 0, self.where)
                    return take

                def take(piece: bytes) -> None:
                    file.write(piece)
                    tell(f"fetching {self.where}: {quantity(file.tell(), 'bytes')}")

                return self._stream(self.path, asked, begun, None)

        answer = self.pace.ask(self.where, get)
        return None if answer.status == 304 else answer.version

    def _stream(
        self,
        url: str,
        headers: dict[str, str],
        begun: Callable[["_Answer"], Callable[[bytes], object]],
        most: int | None,
    ) -> "_Answer":
        from fsspec.asyn import sync

        answer: _Answer = sync(self.system.loop, self._asked, url, headers, begun, most)
        return answer

    async def _asked(
        self,
        url: str,
        headers: dict[str, str],
        begun: Callable[["_Answer"], Callable[[bytes], object]],
        most: int | None,
    ) -> "_Answer":
        """Asks once; what comes is handed on piece by piece, up to `most` bytes."""
        import aiohttp
        from yarl import URL

        session = await self.system.set_session()
        options = dict(self.system.kwargs)
        headers = {**options.pop("headers", {}), **headers, "Accept-Encoding": "identity"}
        patience = aiohttp.ClientTimeout(total=None, sock_connect=_SECONDS, sock_read=_SECONDS)
        asking = session.get(URL(url, encoded=True), headers=headers, timeout=patience, **options)
        async with asking as response:
            if response.status == 416:  # there is no more of it than we have: it is another one
                raise Incomplete
            response.raise_for_status()
            answer = _Answer.of(response)
            if answer.status == 304:
                return answer
            if most is not None and (answer.length or 0) > most:
                answer.longer = answer.length
                return answer
            take, count = begun(answer), 0
            while piece := await response.content.read(_PIECE):
                count += len(piece)
                if most is not None and count > most:
                    much = f"more than {quantity(most, 'bytes')}"
                    raise PlaceError(f"{shown(url)}: {much}, and the server does not say how much")
                take(piece)
            return answer


@dataclass
class _Answer:
    """What a server says before the content."""

    status: int
    kind: str
    version: str
    length: int | None
    longer: int | None = None
    """The length of a file of which nothing was taken, because it is too much."""

    @classmethod
    def of(cls, response: Any) -> "_Answer":
        headers = response.headers
        version = ""
        if headers.get("ETag"):
            version = f"etag:{headers['ETag']}"
        elif headers.get("Last-Modified"):
            version = f"time:{headers['Last-Modified']}"
        kind = headers.get("Content-Type", "text/html").partition(";")[0].strip().lower()
        length = None if headers.get("Content-Encoding") else response.content_length
        return cls(response.status, kind, version, length)


def _unless(known: str | None) -> dict[str, str]:
    """Headers that ask for a file unless it is still the one that is known."""
    form, _, value = (known or "").partition(":")
    if form == "etag":
        return {"If-None-Match": value}
    return {"If-Modified-Since": value} if form == "time" else {}
