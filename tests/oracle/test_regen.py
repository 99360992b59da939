"""Regeneration of a small spec, with sources that answer in this process: what is asked, written, refused."""

import json

import pytest

from conformance.oracle import regen, regen_overlay, sources
from conformance.oracle.regen import RegenError, Source, regenerate
from conformance.runner.conversation import Conversation
from conformance.suite.entries import canonical_vector
from conformance.suite.lock import LockError, meaning
from conformance.suite.vectors import load_file
from tests.oracle.in_process import answering, by_input, by_op, instead_of_processes

SPEC, PROGRAM = "harbor-0.13.1", "program"
ONE, TWO = f"{SPEC}/evals_key/one", f"{SPEC}/evals_key/two"
ELSEWHERE = "pydantic-2.12.5"
PLAYED = {"tasks": [{"name": "t"}]}
CLEAN = ([], [], [])


class Small:
    """A spec of one file, and a source that answers from another."""

    def __init__(self, vectors, folder) -> None:
        self.vectors, self.entry = vectors, vectors.entry
        self.path, self.lock = folder / "evals_key.json", folder / "lock.json"

    def write(self, *entries) -> None:
        self.path.write_text(self.vectors.write(list(entries)).read_text(encoding="utf-8"), encoding="utf-8")

    def run(self, *truth, **options):
        return regenerate(SPEC, [answering(SPEC, by_input(*truth))], **{"check": False, **options})

    def check(self, *truth, **options):
        """What a check says, which writes nothing."""
        before = self.bytes()
        result = self.run(*truth, check=True, **options)
        assert self.bytes() == before
        problems = [problem.partition(":")[0] for problem in result.lock_problems]
        return result.changed, result.rewritten, problems

    def ask(self, *known, op="job_result", **fields):
        """Regenerates one vector of another op, and what is expected then."""
        self.lock.unlink(missing_ok=True)
        entry = self.entry("one", op=op, input={"trials": []}, **fields)
        for name in {"expected", "provenance"} - fields.keys():
            del entry[name]
        self.write(entry)
        result = regenerate(SPEC, list(known), check=False)
        return result, load_file(self.path)[0].expected

    def bytes(self):
        return self.path.read_bytes(), self.lock.read_bytes() if self.lock.exists() else b""

    def answers(self):
        return {vector.id: vector.expected for vector in load_file(self.path)}

    def locked(self):
        return json.loads(self.lock.read_text(encoding="utf-8"))


@pytest.fixture
def small(vectors, tmp_path, monkeypatch):
    folder = tmp_path / "spec"
    folder.mkdir()
    made = Small(vectors, folder)
    monkeypatch.setattr(regen_overlay, "section_files", lambda spec: [made.path])
    monkeypatch.setattr(regen, "load_files", lambda spec: {made.path: load_file(made.path)})
    monkeypatch.setattr(regen, "vectors_dir", lambda spec: folder)
    instead_of_processes(monkeypatch)
    return made


def without_answer(entry):
    return {key: value for key, value in entry.items() if key not in ("expected", "provenance")}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"evals_key": "one__adhoc"}, {"evals_key": "new"}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        *(({"a": old}, {"a": new}) for old, new in ((1, 1.0), (0.0, -0.0), ("NaN", "Infinity"))),
    ],
)
def test_check_says_what_differs(small, old, new) -> None:
    one, two = small.entry("one", ok=old), small.entry("two")
    small.write(one, two)
    small.run(one, two)
    found = small.check(small.entry("one", ok=new), two)
    assert found == ([ONE], [small.path], [f"{ONE} changed its meaning"])
    small.path.write_text(small.path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert small.check(one, two) == ([], [small.path], []), "a file that is not canonical"


def test_an_answer_is_written_sorted_where_its_order_is_free_and_without_its_message(small) -> None:
    question = small.entry("one", "parse_reward", {"files": {}}, {"rewards": {}}, unordered=["/rewards"])
    small.write(question)
    small.run({**question, "expected": {"ok": {"rewards": {"b": 1.0, "a": 2}}}})
    assert json.dumps([*small.answers().values()]) == '[{"ok": {"rewards": {"a": 2, "b": 1.0}}}]'
    error = {"type": "RewardFileEmptyError", "reason_code": "harbor_reward_empty"}
    said = {**question, "expected": {"error": {**error, "message": "words"}}}
    small.run(said, accept=[question["id"]], reason="a test")
    assert [*small.answers().values()] == [{"error": error}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("exit", f"{ONE}: crash: the runner exited with code 3 instead of replying"),
        ("garbage", f"{ONE}: protocol-error: "),
        ("hello-exit", f"the source {SPEC} can't be started: the runner exited with code 7"),
        ("words-after-the-end", f"the source {SPEC}: the runner wrote to standard output after its last"),
    ],
)
def test_a_source_without_an_answer_writes_nothing(small, hostile, monkeypatch, behaviour, sentence) -> None:
    monkeypatch.setattr(sources, "Conversation", Conversation)
    small.write(without_answer(small.entry("one")))
    before = small.bytes()
    command = hostile(small.vectors.write([small.entry("one")], "truth.json"), behaviour)
    with pytest.raises(RegenError) as refused:
        regenerate(SPEC, [Source(SPEC, frozenset(), command)], check=False)
    assert str(refused.value).startswith(sentence)
    assert small.bytes() == before


def test_a_source_that_is_not_at_hand_leaves_locked_answers(small) -> None:
    small.write(small.entry("one"), without_answer(small.entry("two")))
    absent = [Source(SPEC, frozenset(), None)]
    with pytest.raises(RegenError, match=f"{TWO} has no answer yet, and its source {SPEC} is not available"):
        regenerate(SPEC, absent, check=False)
    small.write(small.entry("one"))
    result = regenerate(SPEC, absent, check=False)
    assert (result.asked, result.left, result.changed) == (0, {SPEC: 1}, [])
    assert small.answers() == {ONE: small.entry("one")["expected"]}


def test_no_answer_and_no_field_are_refused_and_what_is_played_is_part_of_the_meaning(small, vectors) -> None:
    with pytest.raises(ValueError, match="there is no field 'expect'"):
        canonical_vector(small.entry("one", expect={}))
    with pytest.raises(RegenError, match="/one: the source says unsupported: no"):
        small.ask(answering(SPEC, by_op(job_result={"unsupported": "no"})))
    entries = (vectors.entry("one"), vectors.entry("two", played=PLAYED))
    made = vectors.load(*entries, vectors.entry("three", played={**PLAYED, "n_attempts": 2}))
    assert len({meaning(vector) for vector in made}) == 3


# Variants: what other environments answer


def elsewhere(*truth):
    """Another environment, which answers this."""
    return {ELSEWHERE: answering(ELSEWHERE, by_input(*truth))}


def test_what_another_environment_answers_is_stored_where_it_differs(small) -> None:
    one, two = small.entry("one"), small.entry("two")
    other = small.entry("two", ok={"evals_key": "elsewhere"})
    small.write(one, two)
    small.run(one, two)
    locked = small.locked()["vectors"]
    asked = elsewhere(one, other)
    changed, _, problems = small.check(one, two, environments_asked=asked)
    assert (changed, problems) == ([f"{TWO}@{ELSEWHERE}"], [f"{TWO}@{ELSEWHERE} is not in the lock"])
    assert small.run(one, two, environments_asked=asked).variants == {ELSEWHERE: 1}
    assert [vector.variants for vector in load_file(small.path)] == [{}, {ELSEWHERE: other["expected"]}]
    assert small.locked()["vectors"] == locked  # the meaning of a vector is what it was
    assert list(small.locked()["variants"]) == [f"{TWO}@{ELSEWHERE}"]
    assert small.check(one, two, environments_asked=asked) == CLEAN
    assert small.check(one, two) == CLEAN, "an environment that is not asked"


def test_an_environments_answer_is_guarded_as_any_other(small) -> None:
    one, variant = small.entry("one"), f"{ONE}@{ELSEWHERE}"
    small.write(one)
    small.run(one, environments_asked=elsewhere(small.entry("one", ok={"evals_key": "elsewhere"})))
    before = small.bytes()
    changed = elsewhere(small.entry("one", ok={"evals_key": "changed"}))
    with pytest.raises(LockError, match=f"{variant} changed its meaning"):
        small.run(one, environments_asked=changed)
    assert small.bytes() == before
    small.run(one, environments_asked=changed, accept=[variant], reason="a mistake of ours")
    alike = elsewhere(one)
    with pytest.raises(LockError, match=f"{variant} is in the lock but not among the vectors"):
        small.run(one, environments_asked=alike)
    small.run(one, environments_asked=alike, retire=[variant], reason="they answer alike")
    assert ("variants" in small.locked(), small.locked()["retired"]) == (False, {})
    small.run(one, environments_asked=changed)
    small.write(small.entry("two"))
    small.run(small.entry("two"), retire=[ONE], reason="nobody needs it")  # with its variants
    assert list(small.locked()["vectors"]) == [TWO]


# Vectors whose situation is also played back as a whole job, and answers that two sources give together


def text(content):
    return {"result.json": {"text": content}}


def played(content, *errors):
    result = None if content is None else {"text": content}
    return {"ok": {"result.json": result, "errors": list(errors), "finished": not errors}}


def raised(kind):
    return {"error": {"type": kind, "reason_code": None}}


@pytest.mark.parametrize(
    ("answer", "job", "says"),
    [
        ({"ok": text("{}")}, played("{}"), None),
        (raised("OverflowError"), played('{"finished_at": null}', "ExceptionGroup", "OverflowError"), None),
        ({"ok": text("{}")}, played("{ }"), "has a different result.json"),
        ({"ok": text("{}")}, played("{}", "IndexError"), r"ends with \['IndexError'\]"),
        ({"ok": text("{}")}, played(None), "has a different result.json"),
        ({"ok": text("{}")}, raised("ValueError"), "could not be played"),
        (raised("ValueError"), played("{}"), r"ends with \[\], not with"),
        (raised("ValueError"), played("{}", "OverflowError"), r"ends with \['OverflowError'\], not"),
    ],
)  # fmt: skip
def test_the_played_job_confirms_an_answer(small, answer, job, says) -> None:
    harbor = answering(SPEC, by_op(job_result=answer, play_job=job))
    if says is None:
        result, expected = small.ask(harbor, played=PLAYED)
        assert (result.played, expected) == (1, answer)
        free = {"ok": text('{"s": {"a": 2, "b": 1}}')}  # free order inside a file is written sorted
        unsorted = {"ok": text('{"s": {"b": 1, "a": 2}}')}
        job = played(free["ok"]["result.json"]["text"])
        harbor = answering(SPEC, by_op(job_result=unsorted, play_job=job))
        assert small.ask(harbor, played=PLAYED, unordered=["/result.json#/s"])[1] == free
        return
    with pytest.raises(RegenError, match=f"/one: the job that is played back {says}"):
        small.ask(harbor, played=PLAYED)


def test_a_pipelines_line_is_the_programs(small) -> None:
    """Without the program, the locked line stays."""
    harbor = answering(SPEC, by_op(pipeline_result={"ok": text("{}")}))
    program = answering(PROGRAM, by_op(outcome={"ok": {"line": "LINE=1"}}), "outcome")
    assert small.ask(program, harbor, op="pipeline")[1] == {"ok": {**text("{}"), "line": "LINE=1"}}
    absent = Source(PROGRAM, frozenset({"outcome"}), None)
    wrong = answering(PROGRAM, by_op(outcome=raised("E")), "outcome")
    for source, says in ((wrong, "program gives no line"), (absent, "has no line yet, and program is not a")):
        with pytest.raises(RegenError, match=says):
            small.ask(source, harbor, op="pipeline")
    locked = {"ok": {**text("{ }"), "line": "LINE=0"}}
    result, expected = small.ask(absent, harbor, op="pipeline", expected=locked)
    assert (expected, result.left) == ({"ok": {**text("{}"), "line": "LINE=0"}}, {PROGRAM: 1})
