"""Public faces tried without a process, with a runner that each test makes."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from conformance import paths
from conformance.deviations import space
from conformance.diagnosis import diagnose
from conformance.mistakes.variant import Variant
from conformance.outcomes import running
from conformance.registry.ops import ops_of
from conformance.suite.lock import Lock
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok
from conformance.wire.writing import dumps
from tests.played import Played

Json = Any


@cache
def _reference(spec):
    return Variant(spec=spec)


def due(spec, op, given):
    answer = _reference(spec).answer(op, given)
    if isinstance(answer, Ok):
        return {"ok": answer.value}
    return {"error": {"type": answer.type, "reason_code": answer.reason_code}}


class Runner:
    """What the command ``in-process`` says; a test changes it at will. ``played.py`` calls it."""

    def __init__(self) -> None:
        self.hello: dict[str, Json] = {}
        """What its hello says beyond the usual."""
        self.answer: Callable[[str, Json], Json] = lambda op, given: due(self.spec, op, given)
        """From an op and its input to a reply without its id."""
        self.last_words = b""
        """What it writes to standard output when its input ends."""
        self.spec = ""
        self.asked: list[tuple[str, Json]] = []
        self.starts = 0

    def knows(self, entries, **others) -> None:
        """It answers vectors as they expect, those with the slugs in ``others`` so; else as the reference."""
        by_request = {json.dumps([one["op"], one["input"]]): one for one in entries}

        def answer(op, given):
            one = by_request.get(json.dumps([op, given]))
            if one is None:  # asked again in other words
                return due(self.spec, op, given)
            said = others.get(one["id"].rpartition("/")[2], one["expected"])
            return said() if callable(said) else said

        self.answer = answer

    def but(self, change) -> None:
        """It answers as the reference, but for what ``change(op, input, reply)`` makes of that."""
        self.answer = lambda op, given: change(op, given, due(self.spec, op, given))

    def hear(self, out, line) -> None:
        message = json.loads(line)
        if message["op"] == "hello":
            self.spec = message["spec"]
            ops = [op.name for op in ops_of(self.spec)]
            hello = {"protocol": 1, "runner": "in-process", "version": "1", "ops": ops}
            reply = {"ok": {**hello, **self.hello}}
        else:
            self.asked.append((message["op"], message["input"]))
            reply = self.answer(message["op"], message["input"])
        out.say(json.dumps({"id": message["id"], **reply}).encode() + b"\n")


@pytest.fixture
def runner(monkeypatch, played):
    made = Runner()
    monkeypatch.setattr(Played, "in_process", made)
    return made


class Kit:
    """A kit of few vectors: some of evsys, and of harbor what a test writes."""

    def __init__(self, root) -> None:
        self.root = root

    def file(self, section, spec="evsys"):
        """A file of vectors, or one that stands beside them."""
        return self.root / spec / f"{section}.json"

    def vectors(self, section="compute", spec="evsys"):
        return json.loads(self.file(section, spec).read_text("utf-8"))["vectors"]

    def write(self, entries, section="compute", spec="evsys") -> None:
        document = {"$schema": "../../schemas/vector-file.schema.json", "spec": spec, "section": section}
        self.file(section, spec).write_text(dumps({**document, "vectors": entries}), "utf-8")

    @staticmethod
    def report(path):
        return json.loads(path.read_text("utf-8"))


@pytest.fixture
def few(tmp_path_factory, monkeypatch):
    """Sees to it that the kit has ten vectors of evsys and one of harbor, so that all is done in no time."""
    root = tmp_path_factory.mktemp("kit")
    made = Kit(root / "vectors")
    (root / "schemas").symlink_to(paths.schemas_dir())
    for spec, sections in (("evsys", ("compute", "registry")), (paths.DEFAULT_SPEC, ("evals_key",))):
        (made.root / spec).mkdir(parents=True)
        for name in ("clauses", "flags", "properties"):
            made.file(name, spec).write_bytes((paths.vectors_dir(spec) / f"{name}.json").read_bytes())
        for section in sections:
            document = json.loads((paths.vectors_dir(spec) / f"{section}.json").read_bytes())
            made.write(document["vectors"][: 5 if spec == "evsys" else 1], section, spec)
    monkeypatch.setattr(paths, "_PACKAGE", root / "conformance")
    for spec in ("evsys", paths.DEFAULT_SPEC):
        lock = Lock(spec, {}, {}, [])
        lock.update(load_spec(spec), set(), set(), "")
        made.file("lock", spec).write_text(lock.text(), "utf-8")
    yield made
    for kept in (space.vectors_of, space.space_of):
        kept.cache_clear()  # made of few vectors


@pytest.fixture
def undiagnosed(monkeypatch) -> None:
    """Looks for no known mistakes: where a test is not about them they only take time."""
    monkeypatch.setattr(diagnose, "diagnose", lambda *_, **__: None)
    monkeypatch.setattr(running, "_diagnosed", lambda *_: None)
