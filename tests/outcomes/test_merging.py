"""Shards put together are the whole run, times aside; what is missing, odd or not theirs is said."""

import gzip
import json
import shlex
import sys

import pytest

from conformance.outcomes import claims
from conformance.outcomes.running import NOTHING_PASSED
from conformance.paths import vectors_dir
from conformance.run.shards import in_shard, refused_shard, shard_by_id, sizes
from conformance.suite.vectors import load_spec
from tests.conftest import TESTS
from tests.processes import lying
from tests.reports import timeless

pytestmark = pytest.mark.usefixtures("played")

SPEC = "harbor-0.13.1"
FEW = (f"{SPEC}/aggregation/mean-*", f"{SPEC}/evals_key/*", f"{SPEC}/reward/txt-1*")
"""Enough that each shard has failures and passes, with less to ask."""
SEED = ("--again-seed", 5, "--failures", 0, "--experiments", 0)


class Shard:
    """A transcript, to be read and changed."""

    def __init__(self, content):
        self.size = len(content)
        self.head, *self.lines = map(json.loads, gzip.decompress(content).splitlines())

    @property
    def content(self):
        lines = (json.dumps(line, separators=(",", ":")) for line in (self.head, *self.lines))
        return gzip.compress("".join(f"{line}\n" for line in lines).encode())

    def but(self, *path, to):
        """A copy with another member of the head, or of the line whose number comes first."""
        other = Shard(self.content)
        place = other.lines if isinstance(path[0], int) else other.head
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to
        return other

    @property
    def vectors(self):
        return [one["id"] for one in self.lines if not one.get("id", "/asked-again").endswith("/asked-again")]


@pytest.fixture
def run(cli, tmp_path, faults):
    """The report of a run, or the transcript of a shard."""

    def do(*args):
        done = cli("run", *args, *SEED, "--report", "one")
        content = (tmp_path / "one").read_bytes()
        if "--shard" in args:
            return Shard(content)
        document = json.loads(content)
        assert (faults("run-report", document), claims.exit_code(document)) == ([], done.returncode)
        return document

    return do


@pytest.fixture
def merge(cli, tmp_path, faults):
    """The report of shards put together, or the sentence why they can't be."""

    def do(*shards):
        for place, shard in enumerate(shards, 1):
            (tmp_path / f"{place}.gz").write_bytes(shard if isinstance(shard, bytes) else shard.content)
        names = [f"{place}.gz" for place in range(1, len(shards) + 1)]
        done = cli("report", "--merge", *names, "--json", "whole.json")
        if not (tmp_path / "whole.json").exists():
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            return done.stderr.removeprefix("harbor-conformance: ").rstrip("\n")
        document = json.loads((tmp_path / "whole.json").read_text("utf-8"))
        assert (faults("run-report", document), claims.exit_code(document)) == ([], done.returncode)
        (tmp_path / "whole.json").unlink()
        return document

    return do


@pytest.fixture
def both(run, merge):
    """Runs in shards and in one piece; the shards, and the whole, which the merge equals."""

    def do(*args, of=2):
        shards = [run(*args, "--shard", f"{k}/{of}") for k in range(1, of + 1)]
        whole = run(*args)
        assert timeless(merge(*shards[1:], *shards[:1])) == timeless(whole)
        return shards, whole

    return do


EVERY = load_spec(SPEC)
TELLING = [vector.id for vector in EVERY if vector.variants][::2]
"""Vectors that have another right answer in each environment: enough to mix them."""
PIPELINE = [vector.id for vector in EVERY if vector.op.name == "pipeline"][:8]
EVSYS = ("--runner", "mistake:evsys-macro-pass-rate", "--spec", "evsys")


def hostile(behaviour):
    words = [sys.executable, str(TESTS / "runners" / "hostile.py"), str(vectors_dir("evsys"))]
    return shlex.join([*words, behaviour, "many-tasks", "threshold-infinity"])


NAIVE, NEWER = ("--runner", "mistake:naive-sum"), "harbor-0.25.0"
PLAYED = {
    "mistake": (*NAIVE, *FEW),
    "level": ("--runner", "mistake:naive-sum+bad-text-is-nan", "--level", "value", *FEW),
    "classes": ("--runner", lying("unsupported", "evals_key"), "--classes", "job,reward", *FEW),
    "numbers": ("--runner", lying("numbers", "evals_key"), *FEW),
    "unsupported": ("--runner", lying("unsupported", "aggregate"), *FEW),
    "evsys": EVSYS,
    "reference": ("--runner", "reference", "--spec", "evsys"),
    "vectors-version": (*NAIVE, "--spec", NEWER, "--vectors-version", "0.1.0", "*/aggregation/mean-*"),
    "not-started": ("--runner", "no-such-command"),
    "ends-early": (*NAIVE, "--max-failures", 99, *FEW),
    "looks-up": ("--runner", lying("looks-up", "evals_key", "always"), *FEW),
    "dies": ("--runner", hostile("exit"), "--spec", "evsys"),
    "babbles": ("--runner", hostile("garbage"), "--spec", "evsys"),
}
MIXING, PARTIAL = (str(TESTS / "runners" / name) for name in ("mixing.py", "partial.py"))
PROCESSES = {
    **{f"environment-{how}": (MIXING, how, *TELLING) for how in ("variant", "mixed")},
    "left-out-wrong": (PARTIAL, "wrong", *PIPELINE),
}


@pytest.mark.parametrize("name", PLAYED)
def test_shards_are_the_whole(both, name) -> None:
    shards, whole = both(*PLAYED[name], of=7 if name == "reference" else 2)
    assert all(shard.size < 12_000 for shard in shards)
    if name == "reference":
        assert (claims.exit_code(whole), claims.complete(whole)) == (0, True)
        again = [one for shard in shards for one in shard.lines if one["id"].endswith("/asked-again")]
        assert len(again) == sum(map(len, whole["asked_again"]["passed"].values())) > 10
    elif name == "looks-up":  # what is unsupported in other words alone the whole decides
        assert sum(map(claims.fails, whole["asked_again"]["results"])) > 3
    elif name in ("dies", "babbles"):
        assert claims.totals(whole)["crash" if name == "dies" else "protocol-error"] == 2
        stderr = "first words\nlast words" if name == "dies" else None
        assert {one["stderr"] for one in whole["results"]} == {stderr}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROCESSES)
def test_shards_of_processes_are_the_whole(both, name) -> None:
    """Of runners that answer as an environment, or leave parts out."""
    program, how, *ids = PROCESSES[name]
    _, whole = both("--runner", f"{sys.executable} {program} {how}", "--runner-timeout", 120, *ids)
    if name == "environment-mixed":
        assert whole["environment"]["against"]


def test_an_answer_equal_in_value_alone_is_no_more_in_the_whole(both, vectors, hostile_text) -> None:
    asked = [{"metric": "mean", "rewards": [{"r": n + 0.0}]} for n in range(4)]
    given = [vectors.entry(f"v{n}", "aggregate", one, {"mean": n + 0.0}) for n, one in enumerate(asked)]
    said = [one | {"expected": {"ok": {"mean": n}}} for n, one in enumerate(given)]
    runner = hostile_text(vectors.write(said, "said.json"))
    _, whole = both("--runner", runner, "--vectors", vectors.write(given), "--level", "value")
    assert {row[1] for row in whole["passed"]["aggregation"]} == {"value"}


def test_flaky_answers_and_those_that_were_not_kept_are_so_in_the_whole(run, merge) -> None:
    """What another answer showed, or all of a long one, no transcript has."""
    shards = [run("--runner", "reference", "--spec", "evsys", "--shard", f"{k}/2") for k in (1, 2)]
    first, second = shards[0].vectors[:2]
    cut = {"beginning": '{"ok": "aaa', "characters": 10**7}
    said = {
        first: {"flaky": "mismatch at first, and passed twice", "ok": {"value": 7}},
        second: {"why": "too long", "outcome": "mismatch", "level": None, "not_kept": cut},
    }
    for place, one in enumerate(shards[0].lines):
        if one["id"] in said:
            shards[0].lines[place] = {"id": one["id"], "seconds": 0.1, **said[one["id"]]}
    whole = merge(*shards)
    flaky, wrong = sorted(whole["results"], key=lambda one: one["id"] == second)
    assert (flaky["outcome"], flaky["real_outcome"]) == ("flaky", "mismatch")
    assert flaky["detail"] == said[first]["flaky"]
    assert (wrong["outcome"], wrong["actual"]["ok"]) == ("mismatch", cut)
    assert whole["cut"][0].startswith("1 wrong answer was too long to be stored")
    assert claims.exit_code(whole) == 1


def test_the_list_of_known_failures_is_judged_once(both, tmp_path) -> None:
    (tmp_path / "known.txt").write_text(
        f"{SPEC}/aggregation/mean-*  mismatch  # since 2026-01-02: sums naively\n"
        f"{SPEC}/evals_key/* mismatch  # stale\n"
        f"{SPEC}/pass_at_k/no-such-vector crash\n"
        f"{SPEC}/reward/txt-17-digits mismatch  # passes\n"
        f"{SPEC}/reward/*/asked-again unsupported\n",
        encoding="utf-8",
    )
    shards, whole = both("--runner", "mistake:naive-sum", "--known-failures", "known.txt", *FEW)
    assert [problem for shard in shards for problem in shard.head["problems"]] == []
    listed = whole["known_failures"]
    wrong = [one.partition(":")[0] for one in listed["problems"]]
    assert wrong == ["known failures, line 2", "known failures, line 3"]
    assert listed["entries"][0]["since"] == "2026-01-02"
    assert claims.totals(whole)["expected-failure"] > 2
    assert claims.totals(whole)["unexpected-pass"] == 1


def test_a_shard_in_which_nothing_passes_is_no_failure(run, merge, cli) -> None:
    """What no shard shows, the whole does: nothing passed."""
    refusing = ("--runner", lying("unsupported", "evals_key", "always"), f"{SPEC}/evals_key/*")
    for k in (1, 2):
        assert cli("run", *refusing, "--shard", f"{k}/2").returncode == 0
    together = merge(*(run(*refusing, "--shard", f"{k}/2") for k in (1, 2)))
    assert (claims.exit_code(together), together["problems"]) == (2, [NOTHING_PASSED])
    assert claims.exit_code(run(*refusing)) == 2


@pytest.fixture
def four(run):
    return [run(*EVSYS, "--shard", f"{k}/4") for k in (1, 2, 3, 4)]


def test_what_is_missing_is_named_and_fails(four, merge) -> None:
    counts = [len(shard.vectors) for shard in four]
    together = merge(four[3], four[0])
    assert (claims.exit_code(together), claims.complete(together)) == (1, False)
    told = [f"shard {k}/4 is missing: {counts[k - 1]} vectors were not asked" for k in (2, 3)]
    assert together["problems"] == told
    selection, missing = together["selection"], counts[1] + counts[2]
    assert selection["missing_shards"] == {"numbers": [2, 3], "of": 4, "vectors": missing, "properties": 0}
    assert selection["selected"] == sum(counts)
    assert claims.not_reached(together) == 0
    assert claims.totals(together).total() == counts[0] + counts[3]
    accounts = claims.classes(together)
    assert {(one.claimed, one.reason) for one in accounts} == {(None, "parts of the run are missing")}


def test_a_shard_that_ended_early_is_named(four, merge) -> None:
    missing = len(four[1].vectors)
    dead = four[1].but("problems", to=["could not try the runner"])
    dead.lines, dead.head["lines"], dead.head["hello"] = [], 0, None
    together = merge(four[0], dead, four[2], four[3])
    told = f"shard 2/4 could not be tried: {missing} vectors were not asked"
    assert together["problems"] == [*dead.head["problems"], told]
    assert (claims.exit_code(together), claims.not_reached(together)) == (1, missing)
    late = Shard(four[1].content)
    late.head["interrupted"] = "interrupted after 1 of 9 vectors"
    late.lines, late.head["lines"] = late.lines[:1], 1
    together = merge(four[0], late, four[2], four[3])
    told = f"shard 2/4 was interrupted: {missing - len(late.vectors)} vectors were not asked"
    assert together["problems"] == [late.head["interrupted"], told]


AVG = "evsys/compute/avg-*"
ENTRY = {"pattern": AVG, "outcome": "mismatch", "reason": "", "line": 1, "fingerprint": ""}
OTHERS = {
    "`level` is": ("level", "value"),
    "`spec` is": ("spec", "harbor-0.25.0"),
    '`options.patterns` is ["evsys/compute/avg-*"], not []': ("options", "patterns", [AVG]),
    "`known_failures` is": ("known_failures", {"file": "known.txt", "entries": [ENTRY], "vectors": None}),
    "`options.again_seed` is 7": ("options", "again_seed", 7),
    '`options.classes` is ["evsys"], not []': ("options", "classes", ["evsys"]),
    "`options.vectors_version` is": ("options", "vectors_version", "0.3.0"),
    "`shard.of` is 5, not 4": ("shard", "of", 5),
    "`options.timeout` is": ("options", "timeout", 9),
    "`vectors.total` is": ("vectors", "total", 9),
    "`command` is": ("command", "other"),
    "`hello` is": ("hello", 1, "99"),
    "`selected.vectors` is": ("selected", "vectors", 0, 9),
}


def test_shards_of_another_run_are_refused(run, four, merge) -> None:
    whole = json.dumps(run(*EVSYS, AVG)).encode()
    assert merge(four[0], whole).startswith("2.gz is not a transcript: merge the files that 'run --shard")
    for told, (*path, to) in OTHERS.items():
        sentence = merge(four[0], four[1].but(*path, to=to), *four[2:])
        assert sentence.startswith("2.gz is of another run than 1.gz: "), sentence
        assert told in sentence
    assert merge(four[0], four[1], four[1]) == "3.gz is there twice: 2.gz is the same shard 2/4"
    slower = four[1].but("duration_seconds", to=1e9)
    assert merge(four[0], four[1], slower) == "2.gz and 3.gz are both shard 2/4, and differ"
    assert "1.gz was written by kit 0.1.0, not by" in merge(four[0].but("kit_version", to="0.1.0"))
    other = [shard.but("vectors", "digest", to="sha256:" + "0" * 64) for shard in four]
    assert "1.gz has other vectors than this kit: `vectors.digest` is" in merge(*other)


def test_a_transcript_is_believed_nothing_that_can_not_be(four, merge) -> None:
    shard = four[0]
    (first, *_), wrong = shard.lines, next(n for n, one in enumerate(shard.lines) if "ok" in one)
    elsewhere = next(vector.id for vector in load_spec("evsys") if shard_by_id(vector.id, 4) == 2)
    changes = {
        "which is in shard 2/4": (0, "id", elsewhere),
        "which is no vector of this run": (0, "id", "evsys/compute/no-such-thing"),
        "which it has more than once": (1, first),
        "`shard` is 5 of 4": ("shard", "number", 5),
        "`selected.vectors` has 1 numbers": ("selected", "vectors", [1]),
        "is not a transcript that this kit can read: $": (wrong, "ok", []),
        "does not describe a possible run": ("options", "classes", ["no-such"]),
        "it has answers without a hello": ("hello", None),
        "is cut off: it has": ("lines", 10**6),
    }
    for told, (*path, to) in changes.items():
        assert told in merge(shard.but(*path, to=to)), told
    assert "is cut off: its gzip data does not end" in merge(shard.content[:-30])
    assert "is not JSON that can be read" in merge(gzip.decompress(shard.content)[:-30])
    assert "is not valid gzip" in merge(b"\x1f\x8b" + b"x" * 99)
    assert "is not a transcript" in merge(b"{}")


def test_what_is_no_shard(cli) -> None:
    numbered = "the parts are numbered from 1/4 to 4/4"
    form = "write K/N, such as 2/4 for the second of four parts"
    refused = {"5/4": numbered, "0/4": numbered, "1/0": "a run has from 1 to 1000 parts"}
    for shard, sentence in {**refused, "x": form, "2/4/6": form}.items():
        for command in ("run", "gate"):
            done = cli(command, "--runner", "reference", "--shard", shard)
            assert (done.returncode, done.stderr) == (2, f"harbor-conformance: --shard {shard}: {sentence}\n")


def test_shards_are_stable_and_even() -> None:
    ids = [vector.id for vector in EVERY]
    counts = sizes(ids, 4)
    assert sum(counts) == len(ids)
    assert max(counts) < 1.2 * min(counts)
    assert shard_by_id(f"{SPEC}/reward/txt-17-digits", 4) == 3
    assert [in_shard("a/b/c", (k, 3)) for k in (1, 2, 3)].count(True) == 1
    assert refused_shard(1, 1) is None
