"""Servers of this machine that stand in for those of the world; each counts what it is asked."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlsplit


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler: type[BaseHTTPRequestHandler], folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.folder = folder
        self.asked: Counter[str] = Counter()
        """Requests by path."""
        self.sent: Counter[str] = Counter()
        """Of these, those that were answered with content."""
        self.headers: list[dict[str, str]] = []
        self.failures: dict[str, list[Any]] = {}
        """By the end of a path, what the first requests for it get: a status, (status, Retry-After), or
        `drop`: half of the content."""
        self.always: dict[str, Any] = {}
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def failure(self, path: str) -> Any:
        with self.lock:
            self.asked[path] += 1
            for end, failures in self.failures.items():
                if path.endswith(end) and failures:
                    return failures.pop(0)
            return next((told for end, told in self.always.items() if path.endswith(end)), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], folder: Path) -> Iterator[Server]:
    server = Server(handler, folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Failing(BaseHTTPRequestHandler):
    """Files of a folder, with ETags."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: the second would wait 40 ms
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if not self.fail():
            self.answer(
                unquote(urlsplit(self.path).path).strip("/"), dict(parse_qsl(urlsplit(self.path).query))
            )

    def do_HEAD(self) -> None:
        self.do_GET()

    def answer(self, path: str, query: dict[str, str]) -> None:
        """Sends what is at a path."""
        self.send_file(self.server.folder / path)

    def fail(self) -> bool:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        told = self.server.failure(unquote(urlsplit(self.path).path))
        self.dropped = told == "drop"
        if told is None or self.dropped:
            return False
        status, after = told if isinstance(told, tuple) else (told, None)
        if status == "reset":
            self.close_connection = True
            self.connection.close()
            return True
        name = "Location" if 300 <= status < 400 else "Retry-After"
        self.send_content(b"", status=status, **({} if after is None else {name: str(after)}))
        return True

    def send_file(self, file: Path) -> None:
        self.send_content(file.read_bytes() if file.is_file() else b"", status=200 if file.is_file() else 404)

    def send_json(self, value: Any, **headers: Any) -> None:
        self.send_content(json.dumps(value).encode(), "application/json", **headers)

    def send_content(
        self, content: bytes, kind: str = "application/octet-stream", status: int = 200, **headers: Any
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("ETag", f'"{hashlib.md5(content).hexdigest()}"')
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "HEAD" or status != 200:
            return
        with self.server.lock:
            self.server.sent[unquote(urlsplit(self.path).path)] += 1
        self.wfile.write(content[: len(content) // 2] if self.dropped else content)
        if self.dropped:
            self.wfile.flush()
            self.close_connection = True


class Google(Failing):
    """Lists and sends the objects of the bucket `b`, as Google's JSON interface does; listings have pages."""

    PAGE = 40

    def answer(self, path: str, query: dict[str, str]) -> None:
        _, found, key = f"/{path}".partition("/b/b/o")
        file = self.server.folder / key[1:]
        if found and not key:
            every = [self.info(one) for one in sorted(self.server.folder.rglob("*")) if one.is_file()]
            items = [one for one in every if one["name"].startswith(query.get("prefix", ""))]
            begin = int(query.get("pageToken", "0"))
            more = {"nextPageToken": str(begin + self.PAGE)} if begin + self.PAGE < len(items) else {}
            self.send_json({"kind": "storage#objects", "items": items[begin : begin + self.PAGE], **more})
        elif file.is_file() and query.get("alt") != "media":
            self.send_json(self.info(file))
        else:
            self.send_file(file)

    def info(self, file: Path) -> dict[str, Any]:
        content, times = (
            file.read_bytes(),
            dict.fromkeys(("updated", "timeCreated"), "2026-01-01T00:00:00.000Z"),
        )
        told = {"name": str(file.relative_to(self.server.folder)), "bucket": "b", "size": str(len(content))}
        return {**told, **times, "kind": "storage#object", "generation": hashlib.md5(content).hexdigest()}


class Hub(Failing):
    """What huggingface's hub answers about one dataset, `org/name`, as far as its library asks.

    Listings come in pages; large files are kept elsewhere, where it redirects to.
    """

    PAGE = 50
    LARGE = 3000

    def answer(self, path: str, query: dict[str, str]) -> None:
        of_data, _, rest = path.partition("datasets/org/name")
        what, _, below = rest.strip("/").partition("/")
        inside = below.partition("/")[2]  # the first part is the revision
        if path.startswith("elsewhere/"):
            self.send_file(self.server.folder / path.partition("/")[2])
        elif of_data == "api/" and what == "tree":
            self.tree(inside, query)
        elif of_data == "api/" and what in ("", "revision"):
            self.send_json({"id": "org/name", "sha": "0" * 40, "private": False, "siblings": []})
        elif of_data or what != "resolve":
            self.send_content(b"", status=404, X_Error_Code="RepoNotFound")
        elif not (file := self.server.folder / inside).is_file():
            self.send_content(b"", status=404, X_Error_Code="EntryNotFound")
        elif file.stat().st_size > self.LARGE:
            self.send_content(b"", status=302, Location=f"{self.server.url}/elsewhere/{quote(inside)}")
        else:
            self.send_file(file)

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.fail():
            found = [self.server.folder / path for path in parse_qs(asked.decode())["paths"]]
            self.send_json([self.info(one) for one in found if one.exists()])

    def tree(self, below: str, query: dict[str, str]) -> None:
        top = self.server.folder / below
        if not top.is_dir():
            self.send_content(b"", status=404, X_Error_Code="EntryNotFound")
            return
        found = top.rglob("*") if query.get("recursive", "").lower() == "true" else top.iterdir()
        files = [one for one in found if not one.is_symlink()]
        listed = [self.info(one) for one in sorted(files) if one.is_file() or any(one.rglob("*"))]
        begin = int(query.get("cursor", "0"))
        more = f"{self.server.url}{urlsplit(self.path).path}?recursive=True&cursor={begin + self.PAGE}"
        headers = {"Link": f'<{more}>; rel="next"'} if begin + self.PAGE < len(listed) else {}
        self.send_json(listed[begin : begin + self.PAGE], **headers)

    def info(self, file: Path) -> dict[str, Any]:
        path = file.relative_to(self.server.folder).as_posix()
        if file.is_dir():
            return {"type": "directory", "oid": "0" * 40, "size": 0, "path": path}
        content = file.read_bytes()
        told = {"type": "file", "oid": hashlib.sha1(content).hexdigest(), "size": len(content), "path": path}
        lfs = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        return {**told, "lfs": lfs} if len(content) > self.LARGE else told
