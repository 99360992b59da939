"""``harbor-conformance kit mutants``."""

import json
import re

import pytest

from conformance.mutants import excuses


@pytest.mark.slow
def test_one_module(cli, snapshot) -> None:
    done = cli("kit", "mutants", "--module", "plan", "--module", "terminal_bench", "--jobs", 1)
    assert done.returncode == 0, done.stdout
    assert done.stdout == snapshot


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


def test_what_cannot_be_tried(cli) -> None:
    for words, sentence in (
        (("--module", "nonesuch"), "the reference for harbor-0.13.1 has no module 'nonesuch'"),
        (("--record", "--module", "plan"), "--record tries all mutants"),
        (("--places", "--op", "no_op"), "has no vectors of no_op"),
        *((("--op", "evals_key"), ""), (("--json", "evals_key"), "")),
    ):
        done = cli("kit", "mutants", *words)
        assert (done.returncode, sentence in done.stderr) == (2, True), words
