"""Each language's project: what its template answers, and three operations of an author.

That its gate is green, and what there is to do, is in ``test_new.py``, with the README's own commands.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from tests.templates.echoing.asking import Asked
from tests.templates.echoing.building import HERE, NAME, languages, marks, ran
from tests.templates.echoing.talking import Runner

ROOT = HERE.parents[1]
THREE = ["evals_key", "terminal_bench_reward", "pass_at_k"]
VECTORS = [vector for vector in load_spec(DEFAULT_SPEC) if vector.op.name == "aggregate"]
FIRST = re.search(
    r"^```python first.py\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """What README's first.py answers."""
    assert FIRST is not None
    folder = tmp_path_factory.mktemp("first")
    (folder / "first.py").write_text(FIRST[1], "utf-8")
    return answers(Runner([sys.executable, "first.py"], folder, strings=False, oneshot=False))


def answers(runner):
    """What a runner answers to each vector of aggregate: kind and value, by the vector's id."""
    asked = Asked(runner)
    if not runner.oneshot:
        runner.ask(messages.hello_line(DEFAULT_SPEC).rstrip(b"\n"))
    try:
        found = asked.ask_all([(vector.op.name, vector.input) for vector in VECTORS])
    finally:
        runner.close()
    kinds = ((kind, value["type"] if kind == "error" else value) for kind, value in found)
    return dict(zip((vector.id for vector in VECTORS), kinds, strict=True))


def conformance(*words, folder):
    return ran([Path(sys.executable).with_name("harbor-conformance"), *words], folder, COLUMNS="200")


def words(built):
    """``--runner`` and what goes with it, in the project's folder."""
    oneshot = ["--oneshot"] if built.language.oneshot else []
    return ["--runner", shlex.join(built.command), *oneshot]


@languages(always=("python", "cpp"))
def test_aggregate_is_as_in_the_readme(slug, builder, first, echo_of) -> None:
    """Every template gives README's answers, right and wrong alike; it knows no other metric."""
    built = builder.built(slug)
    runner = Runner(built.command, built.folder, strings=False, oneshot=built.language.oneshot)
    found = answers(runner)
    wrong = {key: (value, first[key]) for key, value in found.items() if value != first[key]}
    assert not wrong, f"{len(wrong)} of {len(found)}: {list(wrong.items())[:3]}"
    assert len(found) > 300
    asked = echo_of(built.command, built.folder, strings=False, oneshot=built.language.oneshot)
    kind, why = asked.ask("aggregate", {"metric": "median", "rewards": [{"reward": 1}]})
    assert (kind, why) == ("unsupported", f"{NAME} has no metric median")


@languages()
def test_three_operations_of_an_author(slug, builder, tmp_path) -> None:
    """Every vector of them, byte for byte; what else the language offers breaks nothing.

    Of two languages, what is true of every right runner is true on random inputs, too.
    """
    built = builder.built(slug, "three")
    ids = [vector.id for vector in load_spec(DEFAULT_SPEC) if vector.op.name in THREE]
    done = conformance("run", *words(built), "--classes=pass-at-k", *ids, folder=built.folder)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    if slug in ("python", "rust"):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--runner", built.runner]
        done = ran([*command, "-k", " or ".join(THREE)], tmp_path)
        assert done.returncode == 0, done.stdout[-3000:]


@marks("shell")
def test_a_runner_of_one_request_is_gated(builder, tmp_path) -> None:
    """A process for each vector and each random input; what passes is fuzzed, also beside known failures."""
    built = builder.built("shell", "three")
    (tmp_path / "list.txt").write_text("harbor-0.13.1/pass_at_k/* mismatch\n")
    for listed, code in (([], 0), (["--known-failures", str(tmp_path / "list.txt")], 1)):
        given = [*words(built), *listed, "--classes=pass-at-k", "--fuzz", "1.5"]
        given += ["--output", str(tmp_path / "reports")]
        done = conformance("gate", *given, folder=built.folder)
        assert done.returncode == code, done.stdout[-1500:] + done.stderr[-1500:]
        fuzzed = json.loads((tmp_path / "reports" / "fuzz.json").read_text())
        assert fuzzed["disagreed"] == 0
        assert fuzzed["compared"] > 20
