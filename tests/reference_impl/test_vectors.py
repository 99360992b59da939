"""Every vector, asked of the reference in this process: an item a file, whose message names what differs.

What the vectors show of the reference's rules no other test says again; `kit mutants` holds that they
show every line of them.
"""

import json
import sys

import pytest

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, judge
from conformance.registry.ops import OPS, SPECS, lineage
from conformance.suite.schemas import first_fault
from conformance.suite.vectors import load_files, section_files
from conformance.wire.messages import Reply, hello_line, parse_reply, request_line
from reference_impl.runner import serving
from reference_impl.runner.serving import reply

LARGE = 2_000_000
"""Bytes of a file that is asked in two halves."""
STARTS_PROCESSES = "metric_script"
OF_A_PACKAGE = {op.section for op in OPS.values() if op.package_only}
"""Only a package is asked these: the reference has no such operation."""
FILES = [
    pytest.param(
        *(spec, path, start, step),
        id=f"{spec}/{path.parent.name}-{path.stem}-{start}",
        marks=[pytest.mark.slow] if path.stem == STARTS_PROCESSES else [],
    )
    for spec in SPECS
    for one in lineage(spec)
    for path in section_files(one)
    if path.stem not in OF_A_PACKAGE
    for step in [5 if path.stem == STARTS_PROCESSES else 1 + (path.stat().st_size > LARGE)]
    for start in ([0] if path.stem == STARTS_PROCESSES else range(step))
]


@pytest.fixture(scope="module")
def by_file():
    return {spec: load_files(spec) for spec in SPECS}


@pytest.fixture(autouse=True)
def spec_of_the_talk(monkeypatch) -> None:
    """What the last hello was about is forgotten behind the test."""
    monkeypatch.setitem(serving._talk, "spec", None)


@pytest.fixture
def any_digits():
    """As the reference's own process has it: the wire has ints of any size."""
    if not hasattr(sys, "set_int_max_str_digits"):
        yield
        return
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(before)


def wrong(vector):
    line = reply(request_line(1, vector.request().tail))
    verdict = judge(vector, Reply(vector.id, parse_reply(line, 1), 0.0), Level.BYTES)
    return None if verdict.outcome is Outcome.PASSED else f"{vector.id}: {verdict.sentence}"


def unworded(line):
    """A reply; an error without its message, which may name a temporary file."""
    answer = json.loads(line)
    return line if "ok" in answer else {**answer["error"], "message": ""}


def misshapen(vector):
    """What the schemas find in the messages, whether numbers are JSON's or spelled."""
    plain, spelled = (
        request_line(1, vector.request(numbers_as_strings=spelled).tail) for spelled in (False, True)
    )
    line = reply(spelled)
    documents = {"request": [plain, spelled], "reply": [line]}
    found = [first_fault(name, json.loads(one)) for name, lines in documents.items() for one in lines]
    if "ok" in (answer := json.loads(line)):
        found.append(first_fault(f"{vector.op.schema}#/$defs/ok", answer["ok"]))
    if unworded(line) != unworded(reply(plain)):
        found.append("another answer where numbers are spelled")
    return [f"{vector.id}: {fault}" for fault in found if fault is not None]


@pytest.mark.usefixtures("any_digits")
@pytest.mark.parametrize(("spec", "path", "start", "step"), FILES)
def test_the_reference_answers_every_vector(by_file, spec, path, start, step) -> None:
    asked = by_file[spec][path][start::step]
    reply(hello_line(spec))
    assert asked or path.parent.name != spec
    assert list(filter(None, map(wrong, asked))) == []
    assert [fault for vector in asked[::9] for fault in misshapen(vector)] == []
