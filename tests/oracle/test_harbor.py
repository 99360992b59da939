"""The oracle: finding its Python, building it once, and the adapter that it runs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.key_order import pointers_into, sorted_text
from conformance.oracle import environments, of_specs, python
from conformance.oracle.environments import OracleError
from conformance.oracle.of_specs import RECIPES
from conformance.registry.spec import Recipe
from conformance.specs.harbor import HARBOR
from conformance.specs.harness_evals import HARNESS_EVALS
from conformance.suite.vectors import Vector, load_spec

ADAPTER = HARBOR.adapter
HELLO = {"id": 0, "op": "hello", "protocol": 1, "spec": "harbor-0.13.1"}
BIG = "1" * 4_301  # one digit more than CPython reads by default

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the fakes are shell scripts")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_python(path: Path, version: str, implementation: str = "CPython") -> Path:
    return script(path, f"printf '%s\\n' {implementation} {version} {path}")


def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No Python but this one, and no uv."""
    monkeypatch.delenv("HARBOR_CONFORMANCE_PYTHON", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setitem(sys.modules, "uv", None)


# Finding Python and uv


def test_a_shim_that_does_not_run_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nowhere(monkeypatch, tmp_path)
    script(tmp_path / "path" / "python3.99", "exit 127")
    fake_python(tmp_path / "pyenv/versions/3.99.9/bin/python3.99", "3.99.9", "PyPy")
    good = fake_python(tmp_path / "pyenv/versions/3.99.1/bin/python3.99", "3.99.1")
    assert environments.find_python("3.99") == good


def test_a_name_on_the_path_that_is_another_version_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere(monkeypatch, tmp_path)
    fake_python(tmp_path / "path" / "python3.99", "3.9.9")
    with pytest.raises(OracleError, match=r"No CPython 3\.99 .* HARBOR_CONFORMANCE_PYTHON"):
        environments.find_python("3.99")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("printf 'CPython\\n3.11.7\\n/x\\n'", "is CPython 3.11.7"),
        ("printf 'PyPy\\n3.12.7\\n/x\\n'", "is PyPy 3.12.7"),
        ("exit 1", "does not run as a Python"),
    ],
)
def test_a_named_python_that_is_wrong_is_an_error_and_not_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, says: str
) -> None:
    monkeypatch.setenv("HARBOR_CONFORMANCE_PYTHON", str(script(tmp_path / "python", text)))
    with pytest.raises(OracleError, match=says) as caught:
        environments.find_python()
    assert "unset it" in str(caught.value)


def test_uv_downloads_a_python_only_as_a_last_resort_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere(monkeypatch, tmp_path)
    got = tmp_path / "managed" / "python"
    fake_python(tmp_path / "later", "3.99.2")
    uv = script(
        tmp_path / "uv",
        f'if [ "$2" = install ]; then mkdir -p {got.parent}; cp {tmp_path}/later {got}; fi\n'
        f"[ -e {got} ] && echo {got}",
    )
    monkeypatch.setattr(python, "find_uv", lambda: str(uv))
    monkeypatch.setenv("PATH", os.defpath)
    said: list[str] = []
    with pytest.raises(OracleError):
        python.locate("3.99", download=False)
    assert python.locate("3.99", progress=said.append).version == "3.99.2"
    assert said == ["no CPython 3.99 here: uv downloads one"]


# Building


class Kit:
    """A cache, a Python 3.12 and a uv, all fake; the fake oracle replays canned answers."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache = root / "cache"
        self.answers = root / "answers"
        self.calls = root / "calls"
        self.uv = root / "uv"
        self.said: list[str] = []
        self.on: dict[str, Callable[[], None]] = {}
        monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(self.cache))
        monkeypatch.setenv("HARBOR_CONFORMANCE_PYTHON", str(fake_python(root / "python3.12", "3.12.99")))
        monkeypatch.setattr(environments, "find_uv", lambda: str(self.uv))
        script(root / "oracle-python", f"cat {self.answers}")
        self.answer()
        self.use_uv("")

    def answer(self, version: str = "0.13.1", recipe: Recipe = HARBOR, **changed: Any) -> None:
        replies: list[Any] = [{"id": 0, "ok": {"version": version}}]
        replies += [
            {"id": index, "ok": changed.get(op, expected)}
            for index, (op, _, expected) in enumerate(recipe.checks, 1)
        ]
        self.answers.write_text("".join(json.dumps(reply) + "\n" for reply in replies))

    def use_uv(self, at_sync: str) -> None:
        source = self.uv.parent / "oracle-python"
        script(
            self.uv,
            f'echo "$1 $2" >> {self.calls}\n'
            f'if [ "$1" = pip ]; then {at_sync or ":"}; exit; fi\n'
            f'for folder in "$@"; do :; done\n'
            f'mkdir -p "$folder/bin" && cp {source} "$folder/bin/python"',
        )

    def progress(self, message: str) -> None:
        self.said.append(message)
        for word, action in list(self.on.items()):
            if word in message:
                del self.on[word]
                action()

    def ensure(self, rebuild: bool = False, recipe: Recipe = HARBOR) -> environments.Oracle:
        return environments.ensure(self.progress, rebuild, recipe)

    def in_cache(self) -> list[str]:
        return sorted(os.listdir(self.cache)) if self.cache.exists() else []


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kit:
    return Kit(tmp_path, monkeypatch)


def test_an_oracle_is_built_once(kit: Kit) -> None:
    assert environments.status() == environments.Status(kit.cache, None, None)
    built = kit.ensure()
    calls, said = kit.calls.read_text(), list(kit.said)
    assert kit.ensure() == built == environments.status().oracle
    assert (kit.calls.read_text(), kit.said) == (calls, said)
    assert built.version == "0.13.1"
    assert built.command[-1] == str(ADAPTER)
    assert str(built.python) in built.command
    assert kit.in_cache() == [built.folder.name]


def test_two_oracles_stand_side_by_side(kit: Kit) -> None:
    harbor = kit.ensure()
    kit.answer(HARNESS_EVALS.version, HARNESS_EVALS)
    assert environments.status(HARNESS_EVALS).oracle is None
    other = kit.ensure(recipe=HARNESS_EVALS)
    assert other == environments.status(HARNESS_EVALS).oracle
    assert (other.version, other.command[-1]) == (HARNESS_EVALS.version, str(HARNESS_EVALS.adapter))
    assert kit.ensure() == harbor
    assert kit.in_cache() == sorted([harbor.folder.name, other.folder.name])
    assert f"installing {HARNESS_EVALS.package} and its packages" in kit.said


def test_one_package_is_not_taken_for_another(kit: Kit) -> None:
    kit.answer("0.13.1", HARNESS_EVALS)
    with pytest.raises(OracleError, match=f"is harness-evals 0.13.1, not {HARNESS_EVALS.name}"):
        kit.ensure(recipe=HARNESS_EVALS)
    assert kit.in_cache() == []


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_pins_its_package(recipe: Recipe) -> None:
    pins = [line for line in recipe.lock.read_text(encoding="utf-8").splitlines() if "==" in line]
    assert f"{recipe.package}=={recipe.version} \\" in pins


def test_each_spec_has_its_oracle(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_specs, "find_uv", lambda: str(kit.uv))
    plain, path = os.environ["HARBOR_CONFORMANCE_PYTHON"], os.environ["PATH"]
    harbor = kit.ensure()
    assert of_specs.oracle_command("harbor-0.13.1") == harbor.command
    script = of_specs.oracle_command("harbor-metric")
    assert script[-1].endswith("uv_script.py")
    assert {str(harbor.python), f"PATH={path}:{kit.uv.parent}", f"UV_PYTHON={plain}"} <= set(script)
    derived = of_specs.oracle_command("evsys")
    assert derived[-1].endswith("evsys.py")
    assert plain in derived
    assert kit.in_cache() == [harbor.folder.name]  # there is no package to install
    kit.answer(HARNESS_EVALS.version, HARNESS_EVALS)
    assert of_specs.oracle_command("harness-evals") == kit.ensure(recipe=HARNESS_EVALS).command


def test_rebuild_replaces_it(kit: Kit) -> None:
    first = kit.ensure()
    (first.folder / "litter").touch()
    assert kit.ensure(rebuild=True) == first
    assert not (first.folder / "litter").exists()
    assert kit.in_cache() == [first.folder.name]


def test_one_whose_python_has_gone_is_built_again(kit: Kit) -> None:
    built = kit.ensure()
    built.python.unlink()
    assert environments.status().oracle is None
    assert kit.ensure().python.exists()


@pytest.mark.parametrize("moment", ["installing", "checking"])
def test_an_interrupted_build_leaves_nothing(kit: Kit, moment: str) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    kit.on[moment] = interrupt
    with pytest.raises(KeyboardInterrupt):
        kit.ensure()
    assert kit.in_cache() == []
    assert environments.status().oracle is None
    assert kit.ensure().python.exists()


def test_what_dead_processes_left_is_removed_and_what_the_living_build_is_kept(kit: Kit) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait(30)
    kit.cache.mkdir()
    for name in (f"x.partial-{dead.pid}", f"x.partial-{dead.pid}.old", f"x.partial-{os.getppid()}"):
        (kit.cache / name).mkdir()
    built = kit.ensure()
    assert kit.in_cache() == sorted([built.folder.name, f"x.partial-{os.getppid()}"])


def test_the_slower_of_two_builders_takes_the_other_ones_oracle(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtake() -> None:
        with monkeypatch.context() as other_process:
            other_process.setattr(os, "getpid", os.getppid)
            (kit.ensure().folder / "faster").touch()

    kit.on["checking"] = overtake
    built = kit.ensure()
    assert (built.folder / "faster").exists()
    assert kit.in_cache() == [built.folder.name]


def test_without_uv_the_sentence_says_how_to_get_it(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environments, "find_uv", python.find_uv)
    monkeypatch.setitem(sys.modules, "uv", None)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(OracleError, match="pip install uv"):
        kit.ensure()
    problem = environments.status().problem
    assert "pip install uv" in str(problem)


@pytest.mark.parametrize(
    ("at_sync", "says"),
    [
        ("echo 'cause: dns error: no such host' >&2; exit 2", "check the network"),
        ("echo 'error: Hash mismatch for x' >&2; exit 1", r"\(error: Hash mismatch for x\)\."),
    ],
)
def test_a_failed_installation_is_one_sentence(kit: Kit, at_sync: str, says: str) -> None:
    kit.use_uv(at_sync)
    with pytest.raises(OracleError, match=says) as caught:
        kit.ensure()
    assert "\n" not in str(caught.value)
    assert kit.in_cache() == []


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({"version": "0.14.0"}, "harbor 0.14.0, not harbor-0.13.1"),
        ({"aggregate": {"sum": 0.9999999999999999}}, "answers aggregate"),
    ],
)
def test_an_oracle_that_answers_otherwise_is_not_kept(kit: Kit, answers: dict[str, Any], says: str) -> None:
    kit.answer(**answers)
    with pytest.raises(OracleError, match=says):
        kit.ensure()
    assert kit.in_cache() == []


def test_a_cache_that_cannot_be_made_is_one_sentence(kit: Kit) -> None:
    kit.cache.write_text("a file, not a folder")
    with pytest.raises(OracleError, match="HARBOR_CONFORMANCE_CACHE"):
        kit.ensure()


def test_the_lock_names_hashes_and_no_place() -> None:
    text = HARBOR.lock.read_text(encoding="utf-8")
    pinned = [line for line in text.splitlines() if line[:1].isalnum()]
    assert "harbor==0.13.1 \\" in pinned
    assert all("==" in line and line.endswith("\\") for line in pinned)
    assert "://" not in text
    assert " /" not in text


# The adapter's protocol, with a harbor that is not there or only partly

NOISE = """
import os
print("noise")
os.write(1, b"noise")
os.system("echo noise; cat")  # a child must not eat the requests either
"""

METRICS = (
    NOISE
    + """
class Panic(BaseException):
    pass

class Metric:
    def compute(self, rewards):
        print("noise")
        if rewards == [None]:
            raise Panic("x" * 5000)
        return {"a": rewards[0]["a"]}

class MetricFactory:
    create_metric = staticmethod(lambda kind: Metric())

from pathlib import Path
Path(__file__).parents[2].joinpath("imported").write_text("factory")
"""
)

KINDS = """
from enum import Enum
MetricType = Enum("MetricType", {name.upper(): name for name in ("mean", "max", "min", "sum")})
"""


def converse(command: Sequence[str], requests: Sequence[object], **environment: str) -> list[dict[str, Any]]:
    """The replies to requests. A request that is bytes is sent as it is; BIG comes as its digits."""
    lines = [item if isinstance(item, bytes) else json.dumps(item).encode("ascii") for item in requests]
    done = subprocess.run(
        command,
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    replies = [
        json.loads(line, parse_int=lambda digits: BIG if digits == BIG else int(digits))
        for line in done.stdout.splitlines()
    ]
    assert len(replies) == len(requests), done.stderr
    return replies


@pytest.fixture
def partial_harbor(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Talks to the adapter beside a harbor that has noisy metrics, and nothing else."""
    for name, text in {
        "harbor/__init__.py": NOISE,
        "harbor/metrics/__init__.py": "",
        "harbor/metrics/factory.py": METRICS,
        "harbor/models/__init__.py": "",
        "harbor/models/metric/__init__.py": "",
        "harbor/models/metric/type.py": KINDS,
        "harbor/utils/__init__.py": "",
        "harbor/utils/pass_at_k.py": "",
        "harbor-0.99.dist-info/METADATA": "Metadata-Version: 2.1\nName: harbor\nVersion: 0.99\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = (sys.executable, str(ADAPTER))
    return lambda *requests: converse(command, requests, PYTHONPATH=str(tmp_path))


def error_of(reply: dict[str, Any]) -> tuple[str, Any]:
    return reply["error"]["type"], reply["error"]["reason_code"]


def aggregate(number: object, metric: str = "sum") -> dict[str, Any]:
    return {"id": 7, "op": "aggregate", "input": {"metric": metric, "rewards": [{"a": number}]}}


def test_without_harbor_the_adapter_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ADAPTER)],
        input=b"",
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert b"harbor is not installed" in done.stderr


def test_a_part_that_a_harbor_lacks_is_unsupported_with_a_reason(
    partial_harbor: Callable[..., list[dict[str, Any]]],
) -> None:
    hello, moved, absent, unknown = partial_harbor(
        HELLO,
        {"id": 1, "op": "pass_at_k", "input": {"trials": []}},
        {"id": 2, "op": "parse_reward", "input": {"files": {}}},
        {"id": 3, "op": "divine", "input": {}},
    )
    reasons = hello["ok"].pop("unsupported")
    assert hello["ok"] == {
        "runner": "harbor",
        "version": "0.99",
        "protocol": 1,
        "ops": ["aggregate", "pass_at_k"],
    }
    assert reasons["job_result"] == "this harbor has no module harbor.job"
    assert "No module named 'harbor.trial'" in reasons["multi_step_reward"]
    assert "ModuleNotFoundError" in moved["unsupported"]
    assert "ModuleNotFoundError" in absent["unsupported"]
    assert unknown == {"id": 3, "unsupported": "no operation 'divine' here"}


def test_all_that_harbor_has_is_imported_at_hello(
    partial_harbor: Callable[..., list[dict[str, Any]]], tmp_path: Path
) -> None:
    """Whoever asks gives hello more time than an answer, as loading takes seconds."""
    [hello] = partial_harbor(HELLO)
    assert hello["ok"]["ops"] == ["aggregate", "pass_at_k"]
    assert (tmp_path / "imported").read_text(encoding="utf-8") == "factory"


def test_noise_on_stdout_and_children_that_read_stdin_do_no_harm(
    partial_harbor: Callable[..., list[dict[str, Any]]],
) -> None:
    assert partial_harbor(HELLO, aggregate(1), aggregate(2))[1:] == [
        {"id": 7, "ok": {"a": 1}},
        {"id": 7, "ok": {"a": 2}},
    ]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (1, 1),
        (1.0, 1.0),
        ("1", 1),
        ("1.0", 1.0),
        ("1e3", 1000.0),
        ("-0.0", -0.0),
        ("18446744073709551617", 2**64 + 1),
        ("NaN", "NaN"),
        ("1e999", "Infinity"),
        ("-Infinity", "-Infinity"),
    ],
)
def test_numbers_keep_kind_and_size(
    partial_harbor: Callable[..., list[dict[str, Any]]], sent: object, kept: object
) -> None:
    (reply,) = partial_harbor(aggregate(sent))
    assert repr(reply["ok"]["a"]) == repr(kept)


@pytest.mark.parametrize("spelling", [f'"{BIG}"', BIG])
def test_an_int_of_4301_digits_passes_through(
    partial_harbor: Callable[..., list[dict[str, Any]]], spelling: str
) -> None:
    line = json.dumps(aggregate("?")).replace('"?"', spelling).encode()
    first, second = partial_harbor(line, aggregate(1))
    assert first["ok"] == {"a": BIG}
    assert second["ok"] == {"a": 1}


BAD: list[tuple[object, Any]] = [
    (b"garbage", None),
    (b"", None),
    (b"\xff", None),
    (b"[" * 200_000, None),
    ([], None),
    ({"id": "x"}, "x"),
    ({"id": 1, "op": "aggregate"}, 1),
    ({"id": 1, "op": "aggregate", "input": {"metric": "median", "rewards": []}}, 1),
    (aggregate(True), 7),
    (aggregate("١"), 7),
    (aggregate(" 1"), 7),
    (aggregate(None), 7),
]


def test_a_bad_request_is_answered_and_the_next_one_too(
    partial_harbor: Callable[..., list[dict[str, Any]]],
) -> None:
    *bad, last = partial_harbor(*(request for request, _ in BAD), aggregate(1))
    for (request, identity), reply in zip(BAD, bad, strict=True):
        assert (reply["id"], *error_of(reply)) == (identity, "BadRequest", None), request
    assert last["ok"] == {"a": 1}


def test_whatever_harbor_raises_is_an_error_with_a_short_message(
    partial_harbor: Callable[..., list[dict[str, Any]]],
) -> None:
    request = {"id": 1, "op": "aggregate", "input": {"metric": "sum", "rewards": [None]}}
    (reply,) = partial_harbor(request)
    assert error_of(reply) == ("Panic", None)
    assert len(reply["error"]["message"]) == 2_000


# The adapter's answers, with the real harbor


@pytest.fixture(scope="module")
def real() -> tuple[str, ...]:
    return environments.ensure(print).command


def parse(**files: object) -> dict[str, Any]:
    content = {
        name.replace("_", "."): {"text": text} if isinstance(text, str) else text
        for name, text in files.items()
    }
    return {"id": 1, "op": "parse_reward", "input": {"files": content}}


def step(rewards: object, exception: object = None, gate: object = None) -> dict[str, Any]:
    result = None if rewards is None else {"rewards": rewards}
    return {"verifier_result": result, "exception": exception, "min_reward": gate}


def steps(strategy: object, *played: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": 1,
        "op": "multi_step_reward",
        "input": {"strategy": strategy, "steps": list(played)},
    }


def scores(*trials: dict[str, Any]) -> dict[str, Any]:
    plain = {"group": "g", "task": "t", "attempt": 1, "rewards": {"reward": 1}, "exception": None}
    return {"id": 1, "op": "scores", "input": {"trials": [{**plain, **trial} for trial in trials]}}


@pytest.mark.oracle
def test_the_real_harbor_scores_groups_of_any_name(real: tuple[str, ...]) -> None:
    """Its own keys are split at two underscores, and its job resolves metrics by what stands behind."""
    names = ["", "a__b", "b", "__", "g0", "a__g1", "a/b", "\u540d\u524d"]
    failed = {"type": "", "message": "timed out"}
    (reply,) = converse(
        real,
        [scores(*({"group": name} for name in names), *({"group": n, "exception": failed} for n in names))],
    )
    values = {"n": 2, "n_scored": 2, "n_errors": 1, "mean": {"mean": 1.0}, "pass_at_k": {"2": 1.0}}
    assert reply["ok"] == {"groups": dict.fromkeys(names, values)}


@pytest.mark.oracle
def test_the_real_harbor_scores_what_it_counts(real: tuple[str, ...]) -> None:
    """`n` is the number of rewards that its job gives to a metric, not of those that are there."""
    none = {"rewards": None}
    questions = [
        (scores(), {}),
        (
            scores(none, {"rewards": {}}, none),
            {"n": 3, "n_scored": 1, "mean": {"mean": 0.0}, "pass_at_k": {}},
        ),
        (scores({"rewards": {"a": "NaN"}}, {"rewards": {"b": 1}}), {"mean": {"a": "NaN", "b": 0.5}}),
        (scores({"attempt": "7"}, {"attempt": 7}, none), {"n": 3, "pass_at_k": {"2": 1.0}}),
    ]
    for (_, known), reply in zip(questions, converse(real, [one for one, _ in questions]), strict=True):
        found = reply["ok"]["groups"].get("g", {})
        assert {member: found[member] for member in known} == known


@pytest.mark.oracle
def test_the_real_harbor_scores_no_half_answers(real: tuple[str, ...]) -> None:
    huge = {"group": "h", "rewards": {"reward": 10**400}}
    exception = {"exception": {"type": "OSError"}}
    questions = [scores({}, huge), scores({"attempt": 1.5}), scores({"attempt": None}), scores(exception)]
    errors = [error_of(reply)[0] for reply in converse(real, questions)]
    assert errors == ["OverflowError", "BadRequest", "BadRequest", "BadRequest"]


@pytest.mark.oracle
def test_the_real_harbor_answers_as_it_is_known_to(real: tuple[str, ...]) -> None:
    questions: list[tuple[dict[str, Any], Any]] = [
        (parse(reward_txt="1", reward_json='{"a": "1_0"}'), {"rewards": {"a": 10.0}}),
        (parse(reward_txt="\u0661\n"), {"rewards": {"reward": 1.0}}),
        (parse(reward_txt="1e309"), {"rewards": {"reward": "Infinity"}}),
        (parse(reward_json="null"), {"rewards": None}),
        (parse(reward_json='{"a": 18446744073709551617}'), {"rewards": {"a": 2**64 + 1}}),
        (aggregate("9007199254740993", "max"), {"max": 2**53 + 1}),
        (
            steps(None, step({"a": 1}), step(None, "Boom"), step({"a": 3})),
            {"verifier_result": {"rewards": {"a": 1.0}}, "steps_run": 2},
        ),
        (
            steps("final", step({"reward": 1}, gate=0.5), step({"a": 3}), step({})),
            {"verifier_result": {"rewards": {}}, "steps_run": 3},
        ),
        (
            steps("mean", step({"reward": 0}, gate="0.5"), step({"reward": 1})),
            {"verifier_result": {"rewards": {"reward": 0.0}}, "steps_run": 1},
        ),
        (
            steps(None, step({"a": 1}, gate={"b": "-Infinity"}), step({"a": "NaN"}, gate=1)),
            {"verifier_result": {"rewards": {"a": "NaN"}}, "steps_run": 2},
        ),
    ]
    replies = converse(real, [HELLO, *(question for question, _ in questions)])
    assert replies[0]["ok"]["version"] == "0.13.1"
    for (question, expected), reply in zip(questions, replies[1:], strict=True):
        assert reply.get("ok") == expected, question


@pytest.mark.oracle
def test_the_real_harbors_errors_have_their_codes(real: tuple[str, ...]) -> None:
    questions: list[tuple[dict[str, Any], tuple[str, Any]]] = [
        (parse(), ("RewardFileNotFoundError", "harbor_reward_missing")),
        (parse(reward_json="", reward_txt="1"), ("RewardFileEmptyError", "harbor_reward_empty")),
        (parse(reward_txt=" "), ("VerifierOutputParseError", "harbor_reward_parse_error")),
        (
            parse(reward_txt={"base64": "//4="}),
            ("VerifierOutputParseError", "harbor_reward_parse_error"),
        ),
        (
            parse(reward_json=f'{{"a": {BIG}}}'),
            ("VerifierOutputParseError", "harbor_reward_parse_error"),
        ),
        (parse(reward_json="[1]"), ("ValidationError", None)),
        (parse(reward_json="[" * 100_000), ("RecursionError", None)),
        (aggregate(10**400, "mean"), ("OverflowError", None)),
        (steps(None, step({"a": 10**400}), step({"a": 0.5})), ("OverflowError", None)),
    ]
    replies = converse(real, [question for question, _ in questions])
    for (question, expected), reply in zip(questions, replies, strict=True):
        assert error_of(reply) == expected, str(question)[:200]


@pytest.mark.oracle
def test_the_locale_does_not_matter(real: tuple[str, ...]) -> None:
    python, script_path = str(environments.ensure(print).python), real[-1]
    environment = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    (reply,) = converse((python, script_path), [parse(reward_txt="\u0661")], **environment)
    assert reply["ok"] == {"rewards": {"reward": 1.0}}


@pytest.mark.oracle
def test_nothing_is_left_in_the_temporary_folder(real: tuple[str, ...], tmp_path: Path) -> None:
    requests = [parse(reward_txt="1"), {"id": 2, "op": "terminal_bench_reward", "input": {}}]
    converse(real, requests, TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


# Whole jobs


def leaving(*files: dict[str, Any]) -> dict[str, Any]:
    """A dataset of one task for each play."""
    return {"name": "d", "tasks": [{"name": f"t{i}", "plays": [play]} for i, play in enumerate(files)]}


def txt(reward: str, **play: Any) -> dict[str, Any]:
    return {"files": {"reward.txt": {"text": reward}}, **play}


def of_json(reward: object) -> dict[str, Any]:
    return {"files": {"reward.json": {"text": json.dumps({"reward": reward})}}}


NEVER_FINISHED: dict[str, tuple[dict[str, Any], str]] = {
    "a metric raises on the trials that have ended": (
        {"datasets": [leaving(of_json(2 * 10**308), of_json(0))]},
        "OverflowError",
    ),
    "the first metric cannot be shown with three decimals": (
        {"datasets": [leaving(of_json(10**400))], "metrics": ["sum"]},
        "OverflowError",
    ),
    "a task names a dataset that is not configured": (
        {"tasks": [{"name": "t", "source": "nowhere", "plays": [txt("1")]}]},
        "IndexError",
    ),
    "a trial is cancelled": (
        {"datasets": [leaving(txt("1"), txt("1", agent={"raises": "asyncio.CancelledError"}), txt("1"))]},
        "CancelledError",
    ),
    "the job is cancelled": (
        {
            "datasets": [leaving(txt("1"), txt("1"))],
            "stop": {"after": 1, "how": "cancel", "resume": False},
        },
        "CancelledError",
    ),
    "a job with a NaN on disk is resumed": (
        {"datasets": [leaving(txt("nan"), txt("1"))], "stop": {"after": 1, "how": "kill"}},
        "ValidationError",
    ),
    "a job with an infinity on disk is resumed": (
        {"datasets": [leaving(txt("inf"), txt("1"))], "stop": {"after": 1, "how": "kill"}},
        "ValidationError",
    ),
}
"""Jobs that harbor itself ends: what is played, and the exception. Their counters depend on timing."""


@pytest.mark.oracle
def test_jobs_that_never_finish(real: tuple[str, ...]) -> None:
    requests = [{"id": 1, "op": "play_job", "input": job} for job, _ in NEVER_FINISHED.values()]
    replies = converse(real, requests)
    for (situation, (_, error)), reply in zip(NEVER_FINISHED.items(), replies, strict=True):
        played = reply["ok"]
        assert not played["finished"], situation
        assert error in played["errors"], situation
        result = json.loads(played["result.json"]["text"])
        assert result["finished_at"] is None, situation


@pytest.mark.oracle
def test_a_misspelt_job_is_not_played(real: tuple[str, ...]) -> None:
    jobs = [{"n_atempts": 1}, {"datasets": [leaving({"envronment": "OSError"})]}, {"trials": []}]
    replies = converse(real, [{"id": 1, "op": "play_job", "input": job} for job in jobs])
    assert [error_of(reply) for reply in replies] == [("ValueError", None)] * 3


@pytest.mark.oracle
def test_the_adapter_alone_plays_no_jobs_and_answers_the_rest(real: tuple[str, ...], tmp_path: Path) -> None:
    alone = tmp_path / "harbor.py"
    alone.write_text(ADAPTER.read_text(encoding="utf-8"), encoding="utf-8")
    job = {"id": "0" * 8 + "-0000-0000-0000-" + "0" * 12, "started_at": "2000-01-01T00:00:00"}
    job |= {"updated_at": None, "finished_at": None, "n_total_trials": 1, "n_retries": "0"}
    hello, played, result = converse(
        (*real[:-1], str(alone)),
        [
            HELLO,
            {"id": 1, "op": "play_job", "input": {}},
            {"id": 2, "op": "job_result", "input": {**job, "metrics": {}, "trials": []}},
        ],
    )
    assert "play_job" not in hello["ok"]["ops"]
    assert "job_result" in hello["ok"]["ops"]
    assert "unsupported" in played
    stats = json.loads(result["ok"]["result.json"]["text"])["stats"]
    assert (stats["n_pending_trials"], stats["evals"]) == (1, {})


def free_vectors() -> list[Vector]:
    return [v for v in load_spec("harbor-0.13.1") if any("#" in pointer for pointer in v.unordered)]


@pytest.mark.oracle
def test_where_a_vector_leaves_the_order_free_harbor_does_too(real: tuple[str, ...]) -> None:
    """The real harbor under two hash seeds: other texts, equal once the named members are sorted."""
    vectors = free_vectors()
    assert vectors
    requests = [{"id": 1, "op": "pipeline_result", "input": vector.input} for vector in vectors]
    under = [converse(real, requests, PYTHONHASHSEED=str(seed)) for seed in range(2)]
    for index, vector in enumerate(vectors):
        texts = {replies[index]["ok"]["result.json"]["text"] for replies in under}
        pointers = pointers_into("/result.json", vector.unordered)
        assert len(texts) > 1, vector.id
        assert len({sorted_text(text, pointers) for text in texts}) == 1, vector.id
