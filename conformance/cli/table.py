"""The table of commands: their names, summaries, and the modules that are imported when they run."""

__all__ = ["COMMANDS", "KIT", "RENAMED", "Rows"]

Rows = dict[str, dict[str, tuple[str, str]]]
"""By heading and name: the module whose attribute of that name is the command, and its summary."""

KIT: Rows = {
    "Commands": {
        "regen": ("conformance.cli.regen", "Regenerate every expected answer from the oracles."),
        "oracle": ("conformance.cli.oracle", "Build the pinned environment of a spec's oracle."),
        "precompute": ("conformance.cli.precompute", "Precompute the answers of every known mistake."),
        "mutants": ("conformance.mutants.command", "Check that the vectors catch mutants of the reference."),
        "assess": ("conformance.assessment.command", "Measure what the kit catches, for SELF-ASSESSMENT.md."),
        "spec": ("conformance.extensions.releases.command", "Begin a spec for a new release; count vectors."),
    }
}
COMMANDS: Rows = {
    "Check a runner": {
        "new": ("conformance.templates.command", "Create a starter runner in one of eight languages."),
        "run": ("conformance.cli.run", "Check a runner against the vectors, and show what it got wrong."),
        "fuzz": ("conformance.cli.fuzz", "Compare a runner with the reference on random inputs."),
        "explain": ("conformance.cli.explain", "Explain a vector, a rule, an operation or a known mistake."),
        "doctor": ("conformance.cli.doctor", "Check everything that the kit, or a runner, needs."),
    },
    "Gate a fork": {
        "baseline": ("conformance.cli.baseline", "Record today's failures as a list of known failures."),
        "gate": ("conformance.cli.gate", "Check a runner in CI: fail on anything new, and write reports."),
        "report": ("conformance.cli.report", "Show a report, or the difference of two, as a page."),
        "matrix": ("conformance.extensions.releases.matrix.command", "Compare releases, forks and runners."),
    },
    "Audit results": {
        "check": ("conformance.extensions.audit.command", "Audit jobs and leaderboards; compare two."),
        "dataset": ("conformance.extensions.dataset.command", "Write small tasks for any runner to run."),
    },
    "Metrics": {
        "metric": ("conformance.extensions.metrics.command", "Check one metric: a script, or a class.")
    },
    "Maintain the kit": {"kit": ("", f"{{{' '.join(KIT['Commands'])}}}")},
}
RENAMED = {
    "clauses": "explain rules",
    "mistakes": "explain mistakes",
    "compare": "check --pair",
    **{name: f"kit {name}" for name in KIT["Commands"]},
}
"""Former names, kept until 2.0.0."""
