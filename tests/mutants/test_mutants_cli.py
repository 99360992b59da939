"""``harbor-conformance kit mutants``."""

import json
import re

import pytest

from conformance.mutants import excuses
from conformance.mutants.selection import all_mutants, sampled


@pytest.mark.slow
def test_one_module(cli, snapshot, tmp_path) -> None:
    done = cli(
        "kit", "mutants", "--module", "plan", "--module", "terminal_bench", "--jobs", 1, "--json", "out.json"
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout == snapshot
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert report["whole"] is False
    assert report["modules"]["terminal_bench"]["excused"] == 1
    fates = {entry["id"]: entry for entry in report["mutants"]}
    excused = fates["terminal_bench:terminal_bench_reward:comparison:2"]
    assert (excused["fate"], "exit code" in excused["reason"]) == ("excused", True)
    killed = fates["terminal_bench:terminal_bench_reward:comparison:1"]
    assert killed["by"].startswith("harbor-0.13.1/terminal_bench/")


@pytest.mark.slow
def test_a_survivor_and_stale_excuses(cli, snapshot, monkeypatch, tmp_path) -> None:
    reason = "There is no reason but this sentence, which is long enough."
    stale = [
        {"id": "terminal_bench:terminal_bench_reward:comparison:9", "before": "x", "after": "y"},
        {
            "id": "terminal_bench:terminal_bench_reward:comparison:1",
            "before": "return b'1\\n' if exit_code == 0 else b'0\\n'",
            "after": "return b'1\\n' if exit_code != 0 else b'0\\n'",
        },
    ]
    path = tmp_path / "equivalent.json"
    path.write_text(json.dumps({"equivalent": [{"reason": reason, "mutants": stale}]}), encoding="utf-8")
    monkeypatch.setattr(excuses.load_excuses, "__defaults__", (path,))
    done = cli("kit", "mutants", "--module", "terminal_bench", "--jobs", 1)
    assert done.returncode == 1
    assert re.sub(r"by harbor-0\.13\.1/\S+,", "by VECTOR,", done.stdout) == snapshot


def test_excused_are_listed_with_their_proofs(cli) -> None:
    done = cli("kit", "mutants", "--excused", "--module", "terminal_bench")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "PROTOCOL.md has exit codes from 0 to 255, so that none is below 0.",
        "    terminal_bench:terminal_bench_reward:comparison:2: return b'1\\n' if exit_code == 0 else b'0\\n'"
        "  ->  return b'1\\n' if exit_code <= 0 else b'0\\n'",
        "excused: 1",
    ]


def test_what_cannot_be_tried(cli) -> None:
    done = cli("kit", "mutants", "--module", "nonesuch")
    assert done.returncode == 2
    assert "the reference for harbor-0.13.1 has no module 'nonesuch'" in done.stderr


def test_a_sample_is_the_same_for_a_seed() -> None:
    every = all_mutants(("plan", "reward"))
    ids = [mutant.id for mutant, _ in sampled(every, 10, 3)]
    assert ids == [mutant.id for mutant, _ in sampled(every, 10, 3)]
    assert ids != [mutant.id for mutant, _ in sampled(every, 10, 4)]
    assert len(sampled(every, 10**6, 1)) == len(every)
