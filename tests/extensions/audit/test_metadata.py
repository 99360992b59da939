"""What a submission says of itself is read within bounds, shown as it stands, and never acted on."""

import os
import time
from itertools import pairwise

import pytest

from conformance.extensions.audit.metadata import MOST_VALUES, read_metadata
from conformance.extensions.audit.sources import Place
from tests.tables import each, tables


def read(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (found,) = read_metadata(Place(str(folder)))
    return found


@each(tables(__file__)["metadata"])
def test_scalars_keep_their_spelling(row, tmp_path) -> None:
    name = f"metadata.{row['name'].partition(' ')[0]}"
    assert read(tmp_path, name, row["content"]).values == row["shown"]
    assert os.listdir(tmp_path) == [name]


NAMES = "abcdefghi"
BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise(NAMES))
NOT_YAML, CUT = "it is not YAML", "Expecting property name enclosed in double quotes at line 1, column 2"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("metadata.yaml", BOMB, "it has aliases (*name), which are not supported"),
        ("metadata.yaml", "[" * 100_000, "100000 bytes, at most 65536 bytes is expected"),
        ("metadata.yaml", "[" * 60_000, NOT_YAML),
        ("metadata.yaml", "a: b: c", f"{NOT_YAML} in line 1"),
        ("metadata.yaml", "? [a]\n: b", f"{NOT_YAML} in line 1"),
        ("metadata.yaml", "a: \0", NOT_YAML),
        ("metadata.yaml", "a: 1\n---\nb: 2", f"{NOT_YAML} in line 2"),
        ("metadata.yaml", b"a: \xff", NOT_YAML),
        ("metadata.json", "[" * 50_000, "nested too deeply: 261 levels are the most that harbor writes"),
        ("metadata.json", "{", f"the text is cut off: {CUT}"),
    ],
    ids=["bomb", "large", "many", "nested", "key", "nul", "two", "latin", "deep-json", "cut"],
)
def test_what_is_not_shown(tmp_path, name, content, problem) -> None:
    began = time.process_time()
    found = read(tmp_path, name, content)
    assert (found.values, found.problem) == ({}, f"not shown: {problem}")
    assert time.process_time() - began < 5


def test_long_and_many_values_are_cut(tmp_path) -> None:
    long = read(tmp_path, "metadata.yaml", f"a: {'x' * 1000}").values
    assert long == {"/a": "x" * 300 + "… (cut, 1000 characters in all)"}
    (tmp_path / "metadata.yaml").unlink()
    found = read(tmp_path, "metadata.json", str([0] * (MOST_VALUES + 1)))
    assert len(found.values) == MOST_VALUES
    assert found.problem == "only the first 1000 values are read"


def test_links_and_devices_are_not_read(tmp_path) -> None:
    assert read_metadata(Place("/no/such/folder")) == []
    (tmp_path / "real").write_text("a: 1")
    (tmp_path / "metadata.yaml").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "metadata.json")
    assert [(one.file, one.problem) for one in read_metadata(Place(str(tmp_path)))] == [
        ("metadata.yaml", "not shown: a symbolic link, a file is expected"),
        ("metadata.json", "not shown: a FIFO, a file is expected"),
    ]
