"""`kit mutants --places`: how many generated deviations the vectors catch, place by place."""

import json

from conformance.deviations import References, space_of
from conformance.mutants.directed import Directed
from conformance.mutants.places import PLAUSIBLE, rows_of, tried
from conformance.paths import DEFAULT_SPEC

OP = "evals_key"


def test_every_plausible_deviation_is_caught_or_equal() -> None:
    fates = list(tried(DEFAULT_SPEC, OP))
    [total] = rows_of(fates, whole=True)
    assert total.deviations == len(fates) == total.caught + total.schema + total.proof
    assert not total.left
    assert total.caught > total.deviations / 2
    assert all(fate.deviation.usual >= PLAUSIBLE for fate in fates)


def test_a_deviation_without_its_vector_is_a_hole_and_one_that_changes_nothing_is_equal() -> None:
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
