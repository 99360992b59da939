"""The gate is a ratchet: a runner that offers less than it did, or than a harbor has, does not pass."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
SPEC = ("--spec", "evsys")
LYING = Path(__file__).parents[1] / "runners" / "lying.py"
pytestmark = pytest.mark.usefixtures("played")


@pytest.fixture
def recorded(cli: Cli, tmp_path: Path) -> Path:
    """The list of a runner that is right throughout."""
    listed = tmp_path / "known.txt"
    done = cli("baseline", "--runner", "reference", *SPEC, "-o", listed)
    assert done.returncode == 0, done.stderr
    return listed


def lying(*words: str) -> str:
    return shlex.join([sys.executable, str(LYING), *words])


def outputs(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "conformance-report" / "report.json").read_text(encoding="utf-8"))


def test_what_a_list_records(recorded: Path) -> None:
    lines = [line for line in recorded.read_text().splitlines() if line.startswith("# offers:")]
    found = [re.fullmatch(r"# offers: (\S+), ([0-9]+) of \2 passed", line) for line in lines]
    assert [one and one[1] for one in found] == ["evsys.compute", "evsys.registry"]


def test_nothing_less_passes(cli: Cli, recorded: Path, faults: Any, tmp_path: Path) -> None:
    done = cli("gate", "--runner", "reference", *SPEC, "--known-failures", recorded)
    assert done.returncode == 0, done.stdout
    assert faults("run-report", outputs(tmp_path)) == []
    assert "offer lost" not in done.stdout


def test_an_operation_that_hello_no_longer_names(cli: Cli, recorded: Path, tmp_path: Path) -> None:
    for command in (("gate",), ("run",)):
        done = cli(
            *command, "--runner", lying("without", "evsys.registry"), *SPEC, "--known-failures", recorded
        )
        assert done.returncode == 1, done.stdout
        assert (
            "no longer offered: evsys.registry: evsys.registry is not among the ops that hello named"
            in " ".join(done.stdout.split())
        )
    why = "the registry moved to another package"
    output = tmp_path / "output"
    done = cli(
        *("gate", "--runner", lying("without", "evsys.registry", why), *SPEC, "--known-failures", recorded),
        GITHUB_OUTPUT=str(output),
    )
    *_, lost, _, last = done.stdout.splitlines()
    assert lost.startswith(f"no longer offered: evsys.registry: {why} ({recorded} records: ")
    assert last.startswith("gate: failed: 1 offer lost, 0 new failures")
    assert "\noffers-lost<<" in output.read_text()


@pytest.mark.parametrize("always", [("always",), ()])
def test_an_operation_that_is_unsupported_now(
    cli: Cli, recorded: Path, always: tuple[str, ...], tmp_path: Path
) -> None:
    """Everywhere, or at some inputs only."""
    runner = lying("unsupported", "evsys.compute", *always)
    done = cli("gate", "--runner", runner, *SPEC, "--known-failures", recorded)
    assert done.returncode == 1, done.stdout
    (problem,) = outputs(tmp_path)["problems"]
    assert problem.startswith("no longer offered: evsys.compute: ")
    assert "vectors are unsupported: not today" in problem


def test_a_part_of_the_vectors_is_held_to_it(cli: Cli, recorded: Path) -> None:
    given = ("--known-failures", recorded, "evsys/compute/unknown-*")
    assert cli("gate", "--runner", "reference", *SPEC, *given).returncode == 0
    refusing = lying("unsupported", "evsys.compute", "always")
    assert cli("gate", "--runner", refusing, *SPEC, *given).returncode in (1, 2)
    elsewhere = lying("unsupported", "evsys.registry", "always")
    assert cli("gate", "--runner", elsewhere, *SPEC, *given).returncode == 0


def test_a_failure_is_reported_once(cli: Cli, recorded: Path, tmp_path: Path) -> None:
    """Fewer pass where some fail: these are new failures, and no offer is lost."""
    done = cli(
        "gate",
        "--runner",
        "mistake:evsys-micro-mean",
        *SPEC,
        "--known-failures",
        recorded,
        "--failures",
        0,
    )
    assert done.returncode == 1
    assert outputs(tmp_path)["problems"] == []
    assert "offer" not in done.stdout.splitlines()[-1]


def test_fewer_pass_under_a_pattern(cli: Cli, tmp_path: Path) -> None:
    """A pattern expects any number of failures; how many passed is recorded next to it."""
    listed = tmp_path / "known.txt"
    listed.write_text("evsys/compute/* mismatch\n# offers: evsys.compute, 154 of 154 passed\n")
    runner = ("--runner", "mistake:evsys-micro-mean", *SPEC, "--known-failures", listed)
    done = cli("gate", *runner, "--again-seed", "1", "--failures", 0)
    assert done.returncode == 1
    assert any("no longer offered: evsys.compute: " in one for one in outputs(tmp_path)["problems"])


def test_parts_and_their_merge(cli: Cli, recorded: Path, tmp_path: Path) -> None:
    """A part passes fewer vectors than the whole; only together they show that an offer is lost."""
    for runner, code in (("reference", 0), (lying("unsupported", "evsys.compute"), 1)):
        for number in (1, 2):
            cli(
                *("gate", "--runner", runner, *SPEC, "--known-failures", recorded),
                *("--shard", f"{number}/2", "-o", f"parts/{number}"),
            )
        done = cli("gate", "--merge", "parts")
        assert done.returncode == code, done.stdout
        shutil.rmtree(tmp_path / "parts")


def test_less_is_accepted_by_recording_it(cli: Cli, recorded: Path) -> None:
    recorded.write_text("# mine\r\n\r\n" + recorded.read_text().replace("\n", "\r\n"), newline="")
    runner = ("--runner", lying("without", "evsys.registry"), *SPEC)
    done = cli("baseline", *runner, "--update", recorded, "--check")
    assert done.returncode == 1
    assert "\n-# offers: evsys.registry, " in done.stdout
    done = cli("baseline", *runner, "--update", recorded)
    assert "offers: evsys.registry: is no longer offered (was " in done.stdout
    content = recorded.read_bytes().decode()
    assert content.startswith("# mine\r\n\r\n")
    assert content.count("# offers: ") == 1
    assert content.count("\n") == content.count("\r\n")
    assert cli("gate", *runner, "--known-failures", recorded).returncode == 0
    assert "needs nothing" in cli("baseline", *runner, "--update", recorded).stdout


def test_two_baselines_of_one_runner_are_the_same(cli: Cli, tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        cli("baseline", "--runner", "mistake:evsys-micro-mean", *SPEC, "-o", name, "--day", "2026-01-01")
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()
    assert "# again-seed: 1 " in (tmp_path / "one.txt").read_text()


def test_nothing_says_what_must_be_offered(cli: Cli, recorded: Path, tmp_path: Path) -> None:
    """Without a list or a class any runner would pass that answers one question: the gate was not tried."""
    done = cli("gate", "--runner", "reference", *SPEC)
    assert done.returncode == 2
    assert "nothing says what the runner must offer" in " ".join(done.stdout.split())
    old = tmp_path / "old.txt"
    old.write_text("# a list of an older kit\n")
    done = cli("gate", "--runner", "reference", *SPEC, "--known-failures", old)
    assert done.returncode == 2
    assert f"--update {old}" in " ".join(done.stdout.split())
    assert cli("gate", "--runner", "reference", *SPEC, "--classes", "all").returncode == 0
    assert (
        cli("gate", "--runner", lying("unsupported", "evsys.compute"), *SPEC, "--classes", "all").returncode
        == 1
    )
    done = cli("baseline", "--runner", "reference", *SPEC, "--update", old)
    assert done.returncode == 0
    assert cli("gate", "--runner", "reference", *SPEC, "--known-failures", old).returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "# offers: aggregate",
        "# offers: aggregate, many of 3 passed",
        "# offers: aggregate, 1 of 3 passed\n# offers: aggregate, 2 of 3 passed",
    ],
)
def test_a_line_that_is_not_of_the_form(cli: Cli, tmp_path: Path, line: str) -> None:
    (tmp_path / "known.txt").write_text(line + "\n")
    done = cli("run", "--runner", "reference", *SPEC, "--known-failures", "known.txt")
    assert done.returncode == 2
    assert "write '# offers: OPERATION, N of M passed'" in done.stderr


@pytest.fixture
def forked(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """The runner that is a checkout of harbor, with the first line of some files changed, or without them."""
    python = environments.ensure(lambda _: None, recipe=recipe_of("harbor-0.13.1")).python
    package = next((python.parent.parent / "lib").glob("python3*/site-packages/harbor"))

    def make(**changes: str | None) -> str:
        checkout = tmp_path_factory.mktemp("fork")
        shutil.copytree(package, checkout / "src" / "harbor", ignore=shutil.ignore_patterns("__pycache__"))
        (checkout / "pyproject.toml").write_text('[project]\nname = "harbor"\nversion = "0.13.1"\n')
        (checkout / ".venv").symlink_to(python.parent.parent)
        for name, line in changes.items():
            path = checkout / "src" / name
            if line is None:
                path.unlink()
            else:
                path.write_text(line + path.read_text("utf-8"), "utf-8")
        return f"harbor:{checkout}"

    return make


@pytest.mark.oracle
def test_a_fork_that_lost_a_module(cli: Cli, tmp_path: Path, forked: Callable[..., str]) -> None:
    """Without any list: harbor has it, so a fork must."""
    assert cli("gate", "--runner", forked(), "harbor-0.13.1/evals_key/*").returncode == 0
    for broken, why in (
        ({"harbor/job.py": "import no_such_module_anywhere\n"}, "no_such_module_anywhere"),
        ({"harbor/utils/pass_at_k.py": None}, "no module harbor.utils.pass_at_k"),
        ({"harbor/metrics/factory.py": "raise ValueError('half a merge')\n"}, "half a merge"),
    ):
        done = cli("gate", "--runner", forked(**broken), "harbor-0.13.1/*/*-one-*")
        assert done.returncode == 1, done.stdout
        (found,) = {one.partition(": ")[0] for one in outputs(tmp_path)["problems"]}
        assert found == "no longer offered"
        assert why in done.stdout
    done = cli("gate", "--runner", forked(**{"harbor/__init__.py": "raise ValueError('half a merge')\n"}))
    assert done.returncode == 2
    assert "half a merge" in " ".join(done.stdout.split())
