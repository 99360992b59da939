"""A run as JUnit counts it: green only where the run is."""

from conformance.publishing.kinds.runs.account import Run, answer_text, counted, cut, real_outcome, sentence
from conformance.publishing.kinds.runs.failures import repeat
from conformance.publishing.model import Case
from conformance.report.consistency import Entry, again_fails, fails

__all__ = ["cases"]


def cases(run: Run) -> tuple[Case, ...]:
    """Every vector, property and vector asked again; then what was wrong with the run as a whole."""
    found = [_case(run, one) for one in run.results.values()]
    found += [_case(run, one) for one in run.properties]
    found += [_case(run, one, again=True) for one in run.again]
    group = run.spec
    found += [Case(group, "the run as a whole", "error", sentence(one, 300), one) for one in run.problems]
    stopped = run.totals["not-run"]
    if stopped:
        example = next(one for one in run.results.values() if one["outcome"] == "not-run")
        why = sentence(example["detail"] or "the run was given up", 300)
        found.append(
            Case(group, "vectors that were not run", "error", f"{counted(stopped, 'vector')}: {why}")
        )
    if run.exit_code and not any(case.state in ("failed", "error") for case in found):
        why = f"the run exited {run.exit_code}"
        found.append(Case(group, "the run as a whole", "error", why))
    return tuple(found)


def _case(run: Run, one: Entry, *, again: bool = False) -> Case:
    spec, _, rest = one["id"].partition("/")
    section, _, slug = rest.partition("/")
    name = f"{slug} (asked again in other words)" if again else slug
    failing = again_fails(one) if again else fails(one)
    seconds = one.get("seconds", 0.0)
    group = f"{spec}.{section}"
    if one["outcome"] == "passed":
        return Case(group, name, "passed", seconds=seconds)
    why = sentence(one["detail"] or "", 300)
    if one["outcome"] == "not-run" or not failing:
        said = one["outcome"]
        if said == "expected-failure":
            said = f"known failure ({real_outcome(one)})"
        return Case(group, name, "skipped", f"{said}: {why}" if why else said, seconds=seconds)
    return Case(
        group,
        name,
        "failed",
        f"{one['outcome']}: {why}" if why else one["outcome"],
        _detail(run, one, again),
        seconds,
    )


def _detail(run: Run, one: Entry, again: bool) -> str:
    """What a reader of a test report needs: rule, question, both answers, the command."""
    told = [
        ("rule", None if "examples" in one else run.rule(run.results[one["id"]])),
        ("clause", one.get("clause")),
        ("input", run.asked(one)),
        ("expected", answer_text(one["expected"])),
        ("actual", answer_text(one["actual"])),
        ("why", sentence(one["detail"] or "")),
        ("runner", cut(run.document["runner"]["command"], 1_000)),
        ("repeat", repeat(run, one)),
    ]
    return "\n".join(f"{name + ':':10}{text}" for name, text in told if text)
