"""Known mistakes of a spec that is a difference to another: its base's, on its own reference, and its own."""

import pytest

from conformance.diagnosis.scratch import scratch
from conformance.mistakes.catalogue import all_mistakes, find_mistakes, made, mistake
from conformance.mistakes.modules import core, module_names, packages
from conformance.mistakes.variant import Variant
from conformance.oracle.commands import resolve_command
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok, Refused
from reference_impl.reward import parse_reward

pytestmark = pytest.mark.slow

SPEC = "harbor-0.25.0"
OVERLAYS = [spec for spec in SPECS if SPEC_TABLE[spec].base is not None]
per_overlay = pytest.mark.parametrize("spec", OVERLAYS)
NULL = {"files": {"reward.json": {"text": "null"}}}
ONE = {"files": {"reward.txt": {"text": "1"}}}


def test_a_copy_answers_by_the_rules_of_its_spec_and_a_mistake_of_the_base_shows_in_them() -> None:
    assert Variant().answer("parse_reward", NULL) == Ok({"rewards": None})
    assert isinstance(Variant(spec=SPEC).answer("parse_reward", NULL), Refused)
    assert isinstance(scratch(SPEC).answer("parse_reward", NULL), Refused)
    assert scratch(SPEC) is not scratch()
    assert scratch("evsys") is scratch()
    given = {"metric": "mean_reward", "task_rewards": [[1.0]]}
    assert Variant(spec=SPEC).answer("evsys.compute", given) == Ok({"value": 1.0})
    copy = Variant(spec=SPEC)
    copy.replace(parse_reward, lambda files: {"reward": 7.0})
    assert copy.answer("parse_reward", ONE) == Ok({"rewards": {"reward": 7.0}})


@per_overlay
def test_an_overlay_has_its_bases_mistakes_and_its_own_are_caught_by_their_class(spec) -> None:
    base, here, copy = all_mistakes(SPEC_TABLE[spec].base), all_mistakes(spec), scratch(spec)
    assert base.keys() <= here.keys()
    assert all(one.spec == SPEC_TABLE[spec].base for one in base.values())
    held, vectors = statements(spec), load_spec(spec)
    for name, one in here.items():
        assert (one.spec, one.clause in held) == (spec, True), name
    for one in list(here.values())[::5]:
        copy.make(one)
    for one in (one for name, one in here.items() if name not in base):
        copy.make(one)
        asked = (vector for vector in vectors if vector.conformance_class == one.conformance_class)
        assert any(answer_of(copy, vector) != vector.expected for vector in asked), one.name
    copy.make()
    own = module_names(spec)
    assert own
    assert not set(own) & {*module_names(SPEC_TABLE[spec].base or ""), *core()}
    assert not {name.partition(".")[0] for name in own} & set(packages())


def answer_of(copy, vector):
    answer = copy.answer(vector.op.name, vector.input)
    if isinstance(answer, Ok):
        return {"ok": answer.value}
    return {"error": {"type": answer.type, "reason_code": answer.reason_code}}


def test_a_mistake_is_of_the_spec_that_says_it_and_made_on_the_reference_of_its_runner() -> None:
    module = "conformance.specs.harbor_0_25_0.reward.mistakes.new"
    about = {"says": "x", "op": "parse_reward", "clause": "x", "why": "X.", "invited_by": "x"}
    with pytest.raises(ValueError, match="taken"):
        mistake("naive-sum", **about, module=module)(lambda _: None)
    assert all_mistakes()["naive-sum"].spec == DEFAULT_SPEC
    assert resolve_command("mistake:naive-sum", spec=SPEC)[-2:] == ("naive-sum", SPEC)
    assert resolve_command("mistake:naive-sum")[-1] == "naive-sum"
    (one,) = find_mistakes("naive-sum", SPEC)
    assert one.spec == SPEC
    assert isinstance(made(one).answer("parse_reward", NULL), Refused)
    tenths = {"metric": "sum", "rewards": [{"reward": 0.1}] * 10}
    assert made(one).answer("aggregate", tenths) == Ok({"sum": 0.9999999999999999})
