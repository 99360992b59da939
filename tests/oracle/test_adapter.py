"""The adapter: whose fault an exception is, its protocol, and the real harbor behind it.

What harbor raises is its answer; what the adapter's stand-ins raise is none.
"""

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.judging.key_order import pointers_into, sorted_text
from conformance.oracle import environments
from conformance.registry.ops import SPECS
from conformance.specs.harbor import HARBOR
from conformance.suite.vectors import load_spec
from tests.processes import module_at

ADAPTER = HARBOR.adapter
DATA = Path(__file__).with_name("adapter")
"""What stands in for harbor: functions that raise, and a package with noisy metrics and nothing else."""


@pytest.fixture
def adapter():
    module = module_at(ADAPTER)
    module.scratch.cache_clear()
    return module


def harbor():
    """A module that is not the adapter's: what it raises is raised in its own frames."""
    names = {"__name__": "harbor.fake"}
    exec(compile((DATA / "raising.txt").read_text("utf-8"), "/harbor/fake.py", "exec"), names)
    return SimpleNamespace(**names)


FAKE = harbor()


def reply_to(adapter, run):
    adapter.OPERATIONS["probe"] = adapter.Entry(lambda _: {"said": run()}, "json")
    return adapter.Runner().reply(b'{"id":1,"op":"probe","input":{}}')


@pytest.mark.parametrize("name", ["asks", "only_looks", "catches", "wraps", "groups"])
def test_what_a_stand_in_lacks_is_unsupported(adapter, name) -> None:
    """Caught or not: what harbor makes of the gap is no answer of its own."""
    if name == "groups" and sys.version_info < (3, 11):
        pytest.skip("there are no groups")
    stand_in = type("StandInContainer", (adapter.Lacking,), {})()
    reply = reply_to(adapter, lambda: getattr(FAKE, name)(stand_in))
    assert "StandInContainer, which stands in for harbor's own, has no 'mounts'" in reply["unsupported"]
    again = reply_to(adapter, lambda: "well")
    assert again == {"id": 1, "ok": {"said": "well"}}  # it is forgotten with the request
    if name in ("asks", "groups"):  # what was raised says it too
        with pytest.raises(Exception) as caught:  # noqa: PT011 - a group, where there are such
            getattr(FAKE, name)(stand_in)
        adapter.FAULTS.clear()
        assert "stand-in" in adapter.reason_if_ours(caught.value)


def test_what_is_harbors_own_and_what_the_adapters(adapter) -> None:
    """The adapter's: what its record lacks, a call that its stand-in does not take, another shape."""
    for name, kind in OWN:
        assert reply_to(adapter, lambda name=name: getattr(FAKE, name)(None))["error"]["type"] == kind
    record = FAKE.Record()
    assert "leave out" in reply_to(adapter, lambda: FAKE.reads_record(record))["unsupported"]
    wrong = reply_to(adapter, lambda: FAKE.reads_record_wrongly(record))
    assert wrong["error"]["type"] == "AttributeError"

    def exec_(command) -> None:
        pass

    exec_.__qualname__ = "verifier_of_files.<locals>.exec_"  # as one of the adapter's
    assert "uses a stand-in in another way" in reply_to(adapter, lambda: FAKE.calls(exec_))["unsupported"]
    vars(adapter)["HERE"] = str(Path(__file__).resolve())  # as if this were the adapter's code
    for run in (lambda: ({}, []).items(), lambda: {}["absent"], lambda: len(3)):
        assert "another shape" in reply_to(adapter, run)["unsupported"]
    assert reply_to(adapter, lambda: 1 / 0)["error"]["type"] == "ZeroDivisionError"


OWN = [
    *(("adds", "TypeError"), ("calls_its_own", "TypeError"), ("reads_none", "AttributeError")),
    *(("looks_up", "KeyError"), ("not_done", "NotImplementedError"), ("raises_missing", "Missing")),
]


def test_where_a_version_keeps_an_entry_point(adapter) -> None:
    found = adapter.present(("no.such.module", "A.b"), ("json", "JSONEncoder.encode"))
    assert found is json.JSONEncoder.encode
    with pytest.raises(adapter.UnsupportedError, match=r"neither json\.Nothing nor os\.path\.none"):
        adapter.present(("json", "Nothing"), ("os", "path.none"))


# The protocol, with a harbor that is not there or only partly

FILES = json.loads((DATA / "partial.json").read_text("utf-8"))
HELLO = {"id": 0, "op": "hello", "protocol": 1, "spec": "harbor-0.13.1"}
BIG = "1" * 4_301  # one digit more than CPython reads by default


def converse(command, requests, **environment):
    """The replies to requests. A request that is bytes is sent as it is; BIG comes as its digits."""
    lines = [item if isinstance(item, bytes) else json.dumps(item).encode("ascii") for item in requests]
    given, variables = b"".join(line + b"\n" for line in lines), {**os.environ, **environment}
    done = subprocess.run(command, input=given, capture_output=True, timeout=300, env=variables)
    assert done.returncode == 0, done.stderr
    read = partial(json.loads, parse_int=lambda digits: BIG if digits == BIG else int(digits))
    replies = [read(line) for line in done.stdout.splitlines()]
    assert len(replies) == len(requests), done.stderr
    return replies


@pytest.fixture
def partial_harbor(tmp_path):
    """Talks to the adapter beside a harbor that has noisy metrics, and nothing else."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = (sys.executable, str(ADAPTER))
    return lambda *requests: converse(command, requests, PYTHONPATH=str(tmp_path))


def error_of(reply):
    return reply["error"]["type"], reply["error"]["reason_code"]


def aggregate(number, metric="sum"):
    return {"id": 7, "op": "aggregate", "input": {"metric": metric, "rewards": [{"a": number}]}}


@pytest.mark.slow
def test_without_harbor_the_adapter_says_so() -> None:
    command = [sys.executable, "-I", "-S", str(ADAPTER)]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=300, check=False)
    assert done.returncode == 2
    assert b"harbor is not installed" in done.stderr


@pytest.mark.slow
def test_a_part_that_a_harbor_lacks_is_unsupported(partial_harbor, tmp_path) -> None:
    [hello] = partial_harbor(HELLO)
    reasons = hello["ok"].pop("unsupported")
    ops = ["aggregate", "pass_at_k"]
    assert hello["ok"] == {"runner": "harbor", "version": "0.99", "protocol": 1, "ops": ops}
    assert reasons["job_result"] == "this harbor has no module harbor.job"
    assert "No module named 'harbor.trial'" in reasons["multi_step_reward"]
    assert (tmp_path / "imported").exists(), "whoever asks gives hello more time than an answer"
    asked = {"pass_at_k": {"trials": []}, "parse_reward": {"files": {}}, "divine": {}}
    *moved, unknown = partial_harbor(*({"id": 3, "op": op, "input": given} for op, given in asked.items()))
    assert all("ModuleNotFoundError" in reply["unsupported"] for reply in moved)
    assert unknown == {"id": 3, "unsupported": "no operation 'divine' here"}


BAD = [
    *((line, None) for line in (b"garbage", b"", b"\xff", b"[" * 200_000, [])),
    *((aggregate(number), 7) for number in (True, "١", " 1", None)),
]
INCOMPLETE = [{"id": "x"}, {"id": 1, "op": "aggregate"}, aggregate(1, "median")]
KEPT = [
    *((1, 1), (1.0, 1.0), ("1", 1), ("1.0", 1.0), ("1e3", 1000.0), ("-0.0", -0.0)),
    *(("18446744073709551617", 2**64 + 1), ("NaN", "NaN"), ("1e999", "Infinity"), ("-Infinity", "-Infinity")),
]


@pytest.mark.slow
def test_noise_does_no_harm(partial_harbor) -> None:
    big = [json.dumps(aggregate("?")).replace('"?"', spelling).encode() for spelling in (f'"{BIG}"', BIG)]
    panic = {"id": 1, "op": "aggregate", "input": {"metric": "sum", "rewards": [None]}}
    good = [*(aggregate(sent) for sent, _ in KEPT), *big]
    asked = [*(request for request, _ in BAD), *INCOMPLETE]
    replies = partial_harbor(HELLO, *asked, panic, *good)[1:]
    for (request, identity), reply in zip(BAD, replies, strict=False):
        assert (reply["id"], *error_of(reply)) == (identity, "BadRequest", None), request
    assert all("another shape" in reply["unsupported"] for reply in replies[len(BAD) : len(asked)])
    panicked, *kept = replies[len(asked) :]
    assert (*error_of(panicked), len(panicked["error"]["message"])) == ("Panic", None, 2_000)
    assert [repr(reply["ok"]["a"]) for reply in kept] == [*(repr(due) for _, due in KEPT), *[repr(BIG)] * 2]


# The real harbor: every vector is asked of it by `regen --check`


@pytest.fixture(scope="module")
def real():
    return environments.ensure(print).command


@pytest.mark.oracle
@pytest.mark.parametrize("spec", SPECS)
def test_an_oracle_answers_some_of_its_vectors_as_they_say(cli, spec) -> None:
    every = load_spec(spec)
    ids = [vector.id for vector in every[:: 1 + len(every) // 60]]
    done = cli("run", "--runner", "oracle", "--spec", spec, "--runner-timeout", "60", *ids)
    assert done.returncode == 0, done.stdout + done.stderr
    (passed,) = re.findall(r"(\d+) of (?:the )?\d+(?: that it offers)? passed", done.stdout)
    assert int(passed) > 0.6 * len(ids), "the rest is of further sources"


def parse(text):
    return {"id": 1, "op": "parse_reward", "input": {"files": {"reward.txt": {"text": text}}}}


@pytest.mark.oracle
def test_neither_locale_nor_temporary_folder_matter(real, tmp_path) -> None:
    plain = (str(environments.ensure(print).python), real[-1])
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TMPDIR": str(tmp_path)}
    requests = [HELLO, parse("\u0661"), parse(""), {"id": 2, "op": "terminal_bench_reward", "input": {}}]
    hello, parsed, empty, bad = converse(plain, requests, **locale)
    assert hello["ok"]["version"] == "0.13.1"
    assert parsed["ok"] == {"rewards": {"reward": 1.0}}
    assert error_of(empty) == ("RewardFileEmptyError", "harbor_reward_empty")
    assert "KeyError" in bad["unsupported"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.oracle
def test_the_adapter_alone_plays_no_jobs_and_answers_the_rest(real, tmp_path) -> None:
    alone = tmp_path / "harbor.py"
    alone.write_text(ADAPTER.read_text(encoding="utf-8"), encoding="utf-8")
    job = {"id": "0" * 8 + "-0000-0000-0000-" + "0" * 12, "started_at": "2000-01-01T00:00:00"}
    job |= {"updated_at": None, "finished_at": None, "n_total_trials": 1, "n_retries": "0"}
    asked = {"id": 2, "op": "job_result", "input": {**job, "metrics": {}, "trials": []}}
    play = {"id": 1, "op": "play_job"}
    hello, played, result = converse((*real[:-1], str(alone)), [HELLO, {**play, "input": {}}, asked])
    assert "play_job" not in hello["ok"]["ops"]
    assert "unsupported" in played
    stats = json.loads(result["ok"]["result.json"]["text"])["stats"]
    assert (stats["n_pending_trials"], stats["evals"]) == (1, {})


@pytest.mark.release
@pytest.mark.oracle
def test_where_a_vector_leaves_the_order_free_harbor_does_too(real) -> None:
    """The real harbor under several hash seeds: other texts, equal once the named members are sorted.

    Two members have one of two orders, so that the same one under all of six seeds is unlikely."""
    free = [v for v in load_spec("harbor-0.13.1") if any("#" in pointer for pointer in v.unordered)]
    assert free
    requests = [{"id": 1, "op": "pipeline_result", "input": vector.input} for vector in free]
    under = [converse(real, requests, PYTHONHASHSEED=str(seed)) for seed in range(6)]
    for index, vector in enumerate(free):
        texts = {replies[index]["ok"]["result.json"]["text"] for replies in under}
        pointers = pointers_into("/result.json", vector.unordered)
        assert len(texts) > 1, vector.id
        assert len({sorted_text(text, pointers) for text in texts}) == 1, vector.id
