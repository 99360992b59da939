"""Where a difference is: a JSON pointer (RFC 6901), or the root."""

import json
import re
import shlex
import sys

import pytest

from conformance.wire.pointers import keys_of, parent_and_key, pointer

pytestmark = pytest.mark.slow

KEYS = ("a/b", "~1", "", "~", "plain", "/")
RUNNER = """
import json, sys

print('{"id":0,"ok":{"runner":"r","version":"0","protocol":1,"ops":["aggregate"]}}', flush=True)
sys.stdin.readline()
for line in sys.stdin:
    request = json.loads(line)
    given = request["input"]["rewards"][0]
    ok = dict.fromkeys(given, 9.0) if request["input"]["metric"] == "mean" else dict(reversed(given.items()))
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
"""


def test_a_pointer_escapes_and_has_its_keys_back() -> None:
    assert pointer() == ""
    assert pointer(*KEYS, 3) == "/a~1b/~01//~0/plain/~1/3"
    assert keys_of(pointer(*KEYS, 3)) == [*KEYS, "3"]
    assert keys_of("") == []
    assert parent_and_key(pointer("a/b", "~1")) == ("/a~1b", "~1")


def test_differences_name_their_place_by_a_pointer_and_the_root_by_its_name(cli, vectors, tmp_path) -> None:
    rewards = {key: index / 2 for index, key in enumerate(KEYS)}
    path = vectors.write(
        [
            vectors.entry("keys", "aggregate", {"metric": "mean", "rewards": [rewards]}, rewards),
            vectors.entry("order", "aggregate", {"metric": "max", "rewards": [rewards]}, rewards),
        ]
    )
    runner, report = tmp_path / "runner.py", tmp_path / "report.json"
    runner.write_text(RUNNER, encoding="utf-8")
    command = shlex.join([sys.executable, str(runner)])
    log = cli("run", "--runner", command, "--vectors", path, "--report", report).stdout
    keys, order = log.split("mismatch: harbor-0.13.1/")[1:]
    places = re.findall(r"^          at (.*): .* expected, 9\.0 came$", keys, re.MULTILINE)
    assert [place[1:].replace("~1", "/").replace("~0", "~") for place in places] == list(KEYS)
    assert "why:      at /a~1b: 0.0 expected, 9.0 came" in keys
    assert "why:      at the root: the keys' order is ['/', 'plain'" in order
    details = [one["detail"] for one in json.loads(report.read_text(encoding="utf-8"))["results"]]
    assert details[0] == "at /a~1b: 0.0 expected, 9.0 came"
    assert details[1].startswith("at the root: the keys' order is ")
