"""Verdicts and the report: ten outcomes kept apart, claims, exit codes."""

import pytest

from conformance.console.account import account as lines
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.outcomes.answers import property_record
from conformance.outcomes.claims import classes, complete, exit_code
from conformance.outcomes.document import as_json
from conformance.outcomes.running import report_on
from conformance.properties import load_properties
from conformance.run.options import RunOptions
from conformance.wire.messages import Failed, Hello, Ok, Refused, Reply, Unsupported

HELLO = Hello("fake", "1", frozenset({"aggregate", "evals_key", "parse_reward"}), False)
EMPTY = "RewardFileEmptyError"


@pytest.fixture
def sample(vectors):
    """A vector that wants a number, one that wants an error, one of another class."""
    entry = vectors.entry
    mean = entry("mean", "aggregate", {"metric": "mean", "rewards": [{"r": 1.0}]}, {"mean": 1.0})
    refused = entry("empty", "parse_reward", {"files": {"reward.txt": {"text": ""}}}, error=EMPTY)
    return vectors.load(mean, refused, entry("key"))


RIGHT = Refused(EMPTY, "harbor_reward_empty", "any words")


def report_of(sample, *answers, level=Level.BYTES):
    report = empty(sample, level)
    for vector, answer in zip(sample, answers, strict=True):
        if answer is not None:
            report.take(judge(vector, Reply(vector.id, answer, 0.25), level))
    return report


def empty(every, level=Level.BYTES):
    """A report on a runner that was asked nothing yet."""
    report = report_on(RunOptions(command="fake", level=level), every)
    report.session.hello = HELLO
    return report


GOOD = (Ok({"mean": 1.0}), RIGHT, Ok({"evals_key": "key__adhoc"}))
NO = Unsupported("no")


def account(report, name):
    found = next(account for account in classes(as_json(report)) if account.name == name)
    return found.claimed, found.reached, found.reason


@pytest.mark.parametrize(
    ("answer", "level", "expected"),
    [
        (Ok({"mean": 1}), Level.VALUE, ("value", "value", None)),
        (Ok({"mean": 1.0}), Level.VALUE, ("bytes", "bytes", None)),
        (Ok({"mean": 1}), Level.BYTES, (None, "value", "1 vector gave a wrong answer")),
        (Ok({"mean": 2}), Level.BYTES, (None, None, "1 vector gave a wrong answer")),
        (RIGHT, Level.BYTES, (None, None, "1 vector ended in a wrong error")),
        (NO, Level.BYTES, (None, None, "all vectors were unsupported")),
        (Failed("crash", "died"), Level.BYTES, (None, None, "1 vector crashed")),
        (None, Level.BYTES, (None, None, "only some vectors were selected")),
    ],
)
def test_a_class_claims_what_all_of_its_vectors_reach(sample, answer, level, expected) -> None:
    assert account(report_of(sample, answer, *GOOD[1:], level=level), "aggregation") == expected


def test_what_breaks_the_claims_of_other_classes(sample, vectors) -> None:
    """A filter and a problem break all of them; a vector without an answer leaves nothing reached."""
    report = report_of(sample, None, *GOOD[1:])
    assert (complete(as_json(report)), exit_code(as_json(report))) == (False, 0)
    assert account(report, "job") == (None, "bytes", "only some vectors were selected")
    report = report_of(sample, *GOOD)
    report.problems.append("the runner wrote to standard output after its last reply")
    assert exit_code(as_json(report)) == 1
    assert account(report, "job") == (None, "bytes", "the run had problems")
    every = vectors.load(vectors.entry("one"), vectors.entry("two"))
    report = report_of(every, Ok({"evals_key": "one__adhoc"}), Failed("crash", "died"))
    assert account(report, "job") == (None, None, "1 vector crashed")


def test_the_account_for_people(sample, snapshot) -> None:
    report = report_of(sample, Ok({"mean": 1}), Failed("crash", "died"), NO)
    report.problems.append("the runner wrote to standard output after its last reply")
    report.session.duration_seconds = 1.5
    report.session.start_up_seconds = 0.25
    assert "\n".join(lines(as_json(report), None, 120)) == snapshot


def many(vectors, *outcomes):
    """A report with a vector of each outcome, as often as it is named."""
    every = vectors.load(*(vectors.entry(f"v{number}") for number in range(len(outcomes))))
    report = empty(every)
    for vector, outcome in zip(every, outcomes, strict=True):
        verdict = Verdict(vector, Outcome(outcome), Level.BYTES if outcome == "passed" else None, 0.0, "why")
        report.take(verdict)
    return report


def test_why_a_class_is_not_claimed_is_a_sentence(vectors) -> None:
    every = [outcome.value for outcome in Outcome]
    report = many(vectors, *every, "mismatch", "mismatch", "unsupported")
    assert account(report, "job")[2] == (
        "3 vectors gave a wrong answer, 1 ended in a wrong error, 1 crashed, 1 timed out, "
        "1 broke the protocol, 2 were unsupported, 1 was not run, 1 failed as expected, "
        "1 passed unexpectedly, 1 gave answers that differ, 1 was not counted yet"
    )
    assert account(many(vectors, "unsupported", "passed"), "job")[2] == "1 vector was unsupported"


@pytest.mark.parametrize("width", [20, 80, 120])
def test_the_account_fits_80_columns(vectors, width) -> None:
    report = many(vectors, *[outcome.value for outcome in Outcome] * 120)
    text = lines(as_json(report), None, width)
    assert text[:3] == [
        "class  vectors  passed  unsupported  failed  reached  claim",
        "job       1440     120          120    1200  -        none",
        "all       1440     120          120    1200",
    ]
    sentences = text[4 : text.index("", 4)]
    assert " ".join(line.strip() for line in sentences) == f"no claim for job: {account(report, 'job')[2]}"
    assert max(map(len, sentences)) <= max(80, width)


def test_a_reason_of_several_classes_is_told_once(sample) -> None:
    unsupported = "reward, aggregation: all vectors were unsupported"
    wrong = "job: 1 vector gave a wrong answer"
    for answers, told in ((GOOD, []), ((NO, NO, Ok({})), [unsupported, wrong])):
        account = lines(as_json(report_of(sample, *answers)), None, 120)
        found = [line for line in account if line.startswith("no claim")]
        assert found == [f"no claim for {one}" for one in told]


def tried(slug, outcome="passed"):
    one = next(one for one in load_properties("harbor-0.13.1") if one.slug == slug)
    verdict = Verdict(one.as_vector, Outcome(outcome), None, 0.5, "" if outcome == "passed" else "why")
    return property_record(verdict, 60, 0)


@pytest.mark.parametrize(
    ("outcome", "code", "reason"),
    [
        ("passed", 0, None),
        ("unsupported", 0, "1 property found inputs that are unsupported"),
        ("expected-failure", 0, "1 property did not hold"),
        *((one, 1, "1 property did not hold") for one in ("mismatch", "crash", "timeout", "not-run")),
    ],
)
def test_a_property_that_does_not_hold_breaks_the_claim_of_its_class(sample, outcome, code, reason) -> None:
    report = report_of(sample, *GOOD)
    for record in (tried("aggregate-doubling", outcome), tried("evals-key-joins-names")):
        report.add_property(record)
    assert exit_code(as_json(report)) == code
    for name in ("reward", "aggregation", "job"):
        broken = reason if name == "aggregation" else None
        claimed, _, said = account(report, name)
        assert (claimed, said) == (None if broken else "bytes", broken)


def test_the_report_and_the_account_have_the_properties(sample, faults) -> None:
    report = report_of(sample, *GOOD)
    for record in (tried("evals-key-joins-names", "mismatch"), tried("aggregate-doubling")):
        report.add_property(record)
    document = as_json(report)
    assert faults("run-report", document) == []
    slugs = [one["id"].rpartition("/")[2] for one in document["properties"]]
    assert slugs == ["aggregate-doubling", "evals-key-joins-names"]
    assert report.outcomes()["harbor-0.13.1/properties/evals-key-joins-names"] == ("mismatch", "")
    assert "harbor-0.13.1/properties/aggregate-doubling" in report.ids()
    text = "\n".join(lines(document, None, 120))
    assert "class        properties  passed  mismatch" in text
    assert "job                   1       -         1" in text
    assert "3 of 3 passed, 1 of 2 properties held (1.00 s) in " in text
