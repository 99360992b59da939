"""What a submission says of itself is read within bounds, shown as it stands, and never acted on."""

import os
import time

import pytest

from conformance.extensions.audit.metadata import MOST_VALUES, read_metadata
from conformance.extensions.audit.sources import Place


def read(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (found,) = read_metadata(Place(str(folder)))
    return found


SHOWN = {
    "spelling": (
        "metadata.yaml",
        "accuracy: 0.3980\ndate: 2025-13-45\nmodels:\n- {name: a/b~c, on: yes}\nnothing:\nlate: 1:30\n",
        {
            "/accuracy": "0.3980",
            "/date": "2025-13-45",
            "/models/0/name": "a/b~c",
            "/models/0/on": "yes",
            "/nothing": "",
            "/late": "1:30",
        },
    ),
    "json": (
        "metadata.json",
        '{"score": 39.80, "big": 1e400, "a/b": [true, null, "\\u001b"], "none": {}}',
        {"/score": "39.80", "/big": "1e400", "/a~1b/0": "true", "/a~1b/1": "null", "/a~1b/2": "\\x1b"},
    ),
    "tags make nothing": (
        "metadata.yaml",
        "a: !!python/object/apply:os.system ['touch made']\nb: !!python/name:os.system\nc: !!int x\n",
        {"/a/0": "touch made", "/b": "", "/c": "x"},
    ),
    "long": ("metadata.yaml", f"a: {'x' * 1000}", {"/a": "x" * 300 + "… (cut, 1000 characters in all)"}),
}


@pytest.mark.parametrize("what", SHOWN)
def test_scalars_keep_their_spelling(what, tmp_path) -> None:
    name, content, due = SHOWN[what]
    assert read(tmp_path, name, content).values == due
    assert os.listdir(tmp_path) == [name]


BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{last}, *{last}]\n" for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("metadata.yaml", BOMB, "not shown: it has aliases (*name), which are not followed"),
        ("metadata.yaml", "[" * 100_000, "not shown: 100000 bytes, at most 65536 bytes is expected"),
        ("metadata.yaml", "[" * 60_000, "not shown: it is not YAML"),
        ("metadata.yaml", "a: b: c", "not shown: it is not YAML in line 1"),
        ("metadata.yaml", "? [a]\n: b", "not shown: it is not YAML in line 1"),
        ("metadata.yaml", "a: \0", "not shown: it is not YAML"),
        ("metadata.yaml", "a: 1\n---\nb: 2", "not shown: it is not YAML in line 2"),
        ("metadata.yaml", b"a: \xff", "not shown: it is not YAML"),
        (
            "metadata.json",
            "[" * 50_000,
            "not shown: nested too deeply: 261 levels are the most that harbor writes",
        ),
        (
            "metadata.json",
            "{",
            "not shown: the text is cut off: "
            "Expecting property name enclosed in double quotes at line 1, column 2",
        ),
    ],
    ids=["bomb", "large", "many", "nested", "key", "nul", "two", "latin", "deep-json", "cut"],
)
def test_what_is_not_shown(tmp_path, name, content, problem) -> None:
    began = time.process_time()
    found = read(tmp_path, name, content)
    assert (found.values, found.problem) == ({}, problem)
    assert time.process_time() - began < 5


def test_many_values_are_cut(tmp_path) -> None:
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
