"""The one loader of the schemas."""

import subprocess
import sys

import pytest

from conformance.suite import schemas
from conformance.suite.schemas import first_fault, validator


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"id": 1, "ok": {}}, None),
        ({"id": "1", "ok": {}}, "$.id: '1' is not of type 'integer'"),
        ({"id": 1, "error": {"type": 3}}, "$.error.type: 3 is not of type 'string'"),
        ({"id": 1, "unsupported": ["x" * 999]}, f"$.unsupported: ['{'x' * 198}"),
    ],
)
def test_the_first_fault_is_a_sentence_with_its_place(document, fault) -> None:
    assert first_fault("reply", document) == fault


DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("reply", {"id": 1, "ok": {"a": float("-inf")}}),
        ("reply", {"id": 1, "ok": {"a": (1, 2)}}),
        ("reply", {"id": 1, "ok": {"a": DEEP}}),
        ("definitions#/$defs/dimension", "\ud800"),
    ],
    ids=["infinity", "tuple", "deep", "half a surrogate pair"],
)
def test_jsonschema_decides_on_what_is_not_plain(name, document, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(schemas, "validator", lambda name: asked.append(name) or validator(name))
    assert first_fault(name, document) is None
    assert asked == [name]


@pytest.mark.slow
def test_reading_schemas_and_what_has_no_fault_need_no_jsonschema() -> None:
    read = "from conformance.suite.schemas import first_fault, schema; schema('reply')"
    plain = "assert first_fault('reply', {'id': 1, 'ok': {'a': [10**30, 0.5, None]}}) is None"
    source = f"import sys; {read}; {plain}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "jsonschema" not in done.stdout.split()
