"""``harbor-conformance kit mutants``."""

import json
import re

import pytest

from conformance.deviations import References, space_of
from conformance.mutants import excuses
from conformance.mutants.directed import Directed
from conformance.mutants.places import PLAUSIBLE, rows_of, tried
from conformance.paths import DEFAULT_SPEC


@pytest.mark.slow
def test_one_module(cli, snapshot) -> None:
    done = cli("kit", "mutants", "--module", "plan", "--module", "terminal_bench", "--jobs", 1)
    assert done.returncode == 0, done.stdout
    assert done.stdout == snapshot


@pytest.mark.slow
def test_a_survivor_and_stale_excuses(cli, snapshot, monkeypatch, tmp_path) -> None:
    reason = "There is no reason but this sentence, which is long enough."
    name = "terminal_bench:terminal_bench_reward:comparison"
    before = "return b'1\\n' if exit_code == 0 else b'0\\n'"
    stale = [{"id": f"{name}:9", "before": "x", "after": "y"}]
    stale.append({"id": f"{name}:1", "before": before, "after": before.replace("==", "!=")})
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


OP = "evals_key"


def test_every_plausible_deviation_is_caught_or_equal_and_without_its_vector_a_hole() -> None:
    fates = list(tried(DEFAULT_SPEC, OP))
    [total] = rows_of(fates, whole=True)
    assert total.deviations == len(fates) == total.caught + total.schema + total.proof
    assert not total.left
    assert total.caught > total.deviations / 2
    assert all(fate.deviation.usual >= PLAUSIBLE for fate in fates)
    space, reference = space_of(DEFAULT_SPEC, "multi_step_reward"), References(DEFAULT_SPEC)
    directed = Directed(space, reference)
    prefix = "multi_step_reward:input/steps/*/"
    hole, equal = (space.find(prefix + one) for one in ("min_reward:nan-is-0", "min_reward:float"))
    assert None not in (hole, equal)
    touched, shown = directed.shows(hole)
    assert touched
    assert any(step["min_reward"] == "NaN" for step in shown["steps"])
    assert directed.shows(equal) == (True, None)


def test_the_table_is_printed_and_written(cli, tmp_path) -> None:
    ended = cli("kit", "mutants", "--places", "--op", OP, "--json", tmp_path / "places.json")
    assert ended.returncode == 0, ended.stderr
    assert "input/agent" in ended.stdout
    written = json.loads((tmp_path / "places.json").read_text("utf-8"))
    assert written["spec"] == DEFAULT_SPEC
    columns = {"op", "place", "kind", "deviations", "caught", "schema", "proof", "left"}
    assert written["rows"][0].keys() == columns
