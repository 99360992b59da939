"""Known failures: strict in both directions, and every mistake in the list is told."""

import os

import pytest

from conformance.judging.fitting import fitted
from conformance.judging.known_failures import LISTABLE, KnownFailures, KnownFailuresError
from conformance.judging.verdict import Outcome
from conformance.suite.vectors import load_spec

IDS = ["s/a/one", "s/a/two", "s/b/one"]


def parse(text):
    return KnownFailures.parse(text, "list.txt")


def test_a_list_has_entries_comments_and_blank_lines() -> None:
    known = parse("# head\n\n  s/a/one   mismatch # why # not\n\ts/b/*\tcrash\r\n")
    assert [(e.pattern, e.outcome, e.reason, e.line, e.is_pattern) for e in known.entries] == [
        ("s/a/one", "mismatch", "why # not", 3, False),
        ("s/b/*", "crash", "", 4, True),
    ]
    for text in ("", "\n", "# nothing\n"):
        assert (parse(text).entries, parse(text).problems(IDS, {})) == ((), [])


@pytest.mark.parametrize(
    ("line", "fingerprint", "reason"),
    [
        ("mismatch #a1b2c3d4  # why # not", "a1b2c3d4", "why # not"),
        ("wrong-error #a1b2c3d4\r", "a1b2c3d4", ""),
        ("mismatch  # a1b2c3d4", "", "a1b2c3d4"),
        ("mismatch #a1b2c3d4 is its number", "", "a1b2c3d4 is its number"),
        ("mismatch #4711: it", "", "4711: it"),
        ("crash #a1b2c3d4", "", "a1b2c3d4"),
    ],
)
def test_an_entry_may_have_a_fingerprint(line, fingerprint, reason) -> None:
    """What lists of earlier kits have behind the ``#`` stays a reason."""
    known = parse(f"s/a/one {line}")
    (entry,) = known.entries
    assert (entry.fingerprint, entry.reason) == (fingerprint, reason)
    assert known.expecting("s/a/one", entry.outcome, "a1b2c3d4") is entry
    assert (known.expecting("s/a/one", entry.outcome, "00000000") is None) is bool(fingerprint)


EVSYS, RETIRED = load_spec("evsys"), "evsys/registry/empty-key"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# vectors: 0.3.0 of harbor-0.13.1", "is a list for harbor-0.13.1, and evsys is asked: choose"),
        ("harbor-0.13.1/a/* crash", "is a list for harbor-0.13.1, and evsys is asked"),
        ("# vectors: 99.0.0 of evsys", "was made with vectors 99.0.0 of evsys, which this kit does not have"),
        ("# vectors: new", "line 1: write '# vectors: VERSION of SPEC', once"),
        ("# vectors: 0.3.0 of evsys\n# vectors: 0.3.0 of evsys", "line 2: write '# vectors: "),
        (
            "# vectors: 0.0.1 of evsys\n# offers: evsys.compute, 156 of 156 passed",
            "records 156 vectors of evsys.compute, and this kit has 0 in version 0.0.1: correct the list",
        ),
        ("# offers: evsys.registry, 1 of 999 passed", "records 999 vectors of evsys.registry, and this kit"),
        ("# level: high", "line 1: write '# level: value', 'exact' or 'bytes', once"),
        ("# level: value\n# level: value", "line 2: write '# level: "),
        ("# again-seed: x", "line 1: write '# again-seed: NUMBER', once"),
    ],
)
def test_a_list_that_is_not_for_this_run(text, sentence) -> None:
    with pytest.raises(KnownFailuresError) as refused:
        fitted(parse(text), "evsys", EVSYS, "list.txt")
    assert str(refused.value).startswith("list.txt")
    assert sentence in str(refused.value)


def test_what_came_after_a_list_does_not_count() -> None:
    """Nor is an entry of a vector that was retired since an error of the list."""
    known = fitted(parse(f"# vectors: 0.3.0 of evsys\n{RETIRED} mismatch\n"), "evsys", EVSYS, "list.txt")
    assert known.newer == {vector.id for vector in EVSYS if vector.since == "1.0.0"}
    assert known.problems([vector.id for vector in EVSYS], {}) == []
    assert fitted(parse("# nothing\n"), "evsys", EVSYS, "list.txt").newer == frozenset()


def test_a_line_of_another_form_is_refused() -> None:
    lines = ("s/a/one", "s/a/one pass", "s/a/one passed", "s/a/one mismatch why", "mismatch", "s/a/one CRASH")
    form = "write '<id or pattern> <outcome>  # reason'"
    twice = ("s/a/one crash\ns/a/one  crash # again", "line 3: the entry is already on line 2")
    for text, sentence in (*((line, f"line 2: {form}") for line in lines), twice):
        with pytest.raises(KnownFailuresError) as refused:
            parse(f"# head\n{text}\n")
        assert str(refused.value).startswith(f"list.txt, {sentence}")


def test_every_failing_outcome_can_be_listed_and_no_other() -> None:
    never = {"passed", "expected-failure", "unexpected-pass", "flaky", "not-counted"}
    assert {outcome.value for outcome in Outcome} - never == LISTABLE


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "does not exist: 'harbor-conformance baseline --runner … -o FILE' writes a list"),
        (b"\xff crash\n", "is not UTF-8 text"),
        (b"#" * (4 << 20) + b"#", "is larger than 4 MiB: is it a known-failures list?"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path, content, sentence) -> None:
    path = tmp_path / "known.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KnownFailuresError) as refused:
        KnownFailures.read(path)
    assert str(refused.value) == f"{path} {sentence}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_list(tmp_path) -> None:
    """It would be empty the second time, and one that nobody writes to would never end."""
    os.mkfifo(tmp_path / "pipe")
    with open(os.open(tmp_path / "pipe", os.O_RDWR), "wb", buffering=0) as pipe:
        pipe.write(b"x" * 9)
        os.set_blocking(pipe.fileno(), False)
        with pytest.raises(KnownFailuresError, match="pipe is a pipe, and a list is read twice"):
            KnownFailures.read(tmp_path / "pipe")


def test_only_the_listed_outcome_is_expected_and_an_id_is_named_and_no_pattern() -> None:
    known = parse("s/a/one crash\ns/b/* timeout\n")
    one, other = known.entries
    for key, outcome, entry in (
        *(("s/a/one", "crash", one), ("s/b/one", "timeout", other), ("s/a/one", "timeout", None)),
        *(("s/b/one", "crash", None), ("s/a/two", "crash", None)),
    ):
        assert known.expecting(key, outcome) is entry
    assert (known.naming("s/a/one"), known.naming("s/b/one")) == (one, None)


CORRECT = "remove or correct it"
USELESS = 'line 1: "s/a/*" is stale: every selected vector that it matches passed: remove it'
STALE = 'line 1: "s/a/*" is stale: no selected vector that it matches has the outcome'


@pytest.mark.parametrize("pattern", ["s/a/*", "s/?/one", "s/[a]/one", "*"])
def test_patterns_match_as_fnmatch_does(pattern) -> None:
    assert parse(f"{pattern} crash").expecting("s/a/one", "crash")
    assert not parse(f"{pattern} crash").expecting("t", "crash") or pattern == "*"


@pytest.mark.parametrize(
    ("text", "judged", "problems"),
    [
        ("s/a/one crash", {"s/a/one": "crash"}, []),
        ("s/a/one crash", {}, []),
        ("s/a/one crash", {"s/a/one": "passed"}, []),  # shown at the vector
        ("s/a/three crash", {}, ['line 1: "s/a/three" matches no vector: remove or correct it']),
        ("\ns/c/* crash", {}, ['line 2: "s/c/*" matches no vector: remove or correct it']),
        ("s/a/* crash", {"s/a/one": "crash", "s/a/two": "passed"}, []),
        ("s/a/* unsupported", {"s/a/one": "unsupported"}, []),
        ("s/a/* crash", {"s/a/one": "unsupported"}, [f"{STALE} crash: {CORRECT}"]),
        ("s/a/* crash", {"s/a/one": "passed", "s/a/two": "mismatch"}, [f"{STALE} crash: {CORRECT}"]),
        ("s/a/* mismatch #0000000a", {"s/a/one": "mismatch"}, [f"{STALE} mismatch #0000000a: {CORRECT}"]),
        ("s/a/* crash", {"s/a/one": "unsupported", "s/a/two": "not-run"}, []),  # not known yet
        ("s/a/* crash", {"s/a/one": "flaky"}, []),
        ("s/a/* crash", {"s/b/one": "passed"}, []),
        ("s/a/* crash", {"s/a/one": "passed"}, [USELESS]),
        ("s/a/* crash", {"s/a/one": "passed", "s/a/two": "passed", "s/b/one": "mismatch"}, [USELESS]),
    ],
)
def test_what_is_wrong_with_the_list(text, judged, problems) -> None:
    found = parse(text).problems(IDS, {key: (outcome, "0000000b") for key, outcome in judged.items()})
    assert found == [f"known failures, {problem}" for problem in problems]
