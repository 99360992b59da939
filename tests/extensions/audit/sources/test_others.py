"""Google's buckets, from a stand-in of their JSON interface, and fsspec's own memory."""

import hashlib
import json
from urllib.parse import parse_qs, unquote, urlsplit

import fsspec
import pytest

from tests.extensions.audit.sources.conftest import kept, stored
from tests.extensions.audit.sources.servers import Failing, serving

pytestmark = pytest.mark.slow
TIMES = {"updated": "2026-01-01T00:00:00.000Z", "timeCreated": "2026-01-01T00:00:00.000Z"}


class Google(Failing):
    """Lists and sends the objects of the bucket `b`."""

    PAGE = 40

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        if self.fail():
            return
        split = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(split.query).items()}
        _, found, key = split.path.partition("/b/b/o")
        if not found:
            self.missing()
        elif key:
            file = self.server.folder / unquote(key[1:])
            if not file.is_file():
                self.missing()
            elif query.get("alt") == "media":
                self.send_content(file.read_bytes())
            else:
                self.send_content(json.dumps(self.told(file)).encode(), "application/json")
        else:
            self.listing(query)

    def told(self, file):
        content, name = file.read_bytes(), str(file.relative_to(self.server.folder))
        told = {"name": name, "bucket": "b", "size": str(len(content)), "kind": "storage#object", **TIMES}
        return {**told, "generation": hashlib.md5(content).hexdigest()}

    def missing(self) -> None:
        self.send_content(b"", status=404)

    def listing(self, query) -> None:
        items = []
        for file in sorted(self.server.folder.rglob("*")):
            name = str(file.relative_to(self.server.folder))
            if file.is_file() and name.startswith(query.get("prefix", "")):
                items.append(self.told(file))
        begin = int(query.get("pageToken", "0"))
        page = {"kind": "storage#objects", "items": items[begin : begin + self.PAGE]}
        if begin + self.PAGE < len(items):
            page["nextPageToken"] = str(begin + self.PAGE)
        self.send_content(json.dumps(page).encode(), "application/json")


def test_google_s_buckets(leaderboard, monkeypatch, report) -> None:
    with serving(Google, leaderboard.parent) as server:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
        monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
        place, due = "gs://b/leaderboard", report(str(leaderboard))
        server.failures["several-keys/result.json"] = [503]
        assert report(place) == due
        before = stored()
        assert len(kept()) > 20
        assert report(place) == due
        assert stored() == before
        server.asked.clear()
        assert report(place, "--offline") == due
        assert not server.asked


def test_any_other_file_system_of_fsspec(leaderboard, report) -> None:
    memory = fsspec.filesystem("memory")
    memory.put(str(leaderboard), "/boards/one", recursive=True)
    try:
        due = report(str(leaderboard))
        assert report("memory://boards/one") == due
        before = stored()
        assert report("memory://boards/one") == due
        assert stored() == before
    finally:
        memory.rm("/boards", recursive=True)
