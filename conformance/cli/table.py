"""The commands: what each is called, what it does, and the module that is imported when it is run."""

__all__ = ["COMMANDS", "KIT", "RENAMED", "Rows"]

Rows = dict[str, dict[str, tuple[str, str]]]
"""By heading, then by name: the module whose attribute of that name is the command, and its summary."""

KIT: Rows = {
    "Commands": {
        "regen": ("conformance.cli.regen", "Ask the oracles for every expected answer again."),
        "oracle": ("conformance.cli.oracle", "Build the pinned environment of a spec's oracle."),
        "foretell": ("conformance.assessment.command", "Precompute what every known mistake answers."),
        "mutants": ("conformance.mutants.command", "Ask thousands of mutants of the reference."),
        "assess": ("conformance.assessment.command", "Measure what the kit catches, for SELF-ASSESSMENT.md."),
        "spec": ("conformance.extensions.releases.command", "Compare releases; begin a spec for a new one."),
    }
}
COMMANDS: Rows = {
    "Check a runner": {
        "new": ("conformance.templates.command", "Write a runner to begin with, in one of eight languages."),
        "run": ("conformance.cli.run", "Ask a runner the vectors, and show what it got wrong."),
        "fuzz": ("conformance.cli.fuzz", "Compare a runner with the reference on random inputs."),
        "explain": ("conformance.cli.explain", "Explain a vector, a rule, an operation or a known mistake."),
        "doctor": ("conformance.cli.doctor", "Look at everything that the kit, or a runner, needs."),
    },
    "Gate a fork": {
        "baseline": ("conformance.cli.baseline", "Record what fails today as a list of known failures."),
        "gate": ("conformance.cli.gate", "Check a runner in CI: fail on anything new, write reports."),
        "report": ("conformance.cli.report", "Show a report as a page, or what two reports differ in."),
        "matrix": ("conformance.extensions.releases.matrix.command", "Compare releases, forks and runners."),
    },
    "Audit results": {
        "check": (
            "conformance.extensions.audit.command",
            "Audit jobs and leaderboards; compare two.",
        ),
        "dataset": ("conformance.extensions.dataset.command", "Write small tasks for any runner to run."),
    },
    "Metrics": {
        "metric": ("conformance.extensions.metrics.command", "Check one metric: a script, or a class."),
    },
    "Maintain the kit": {
        "kit": ("", f"{{{' '.join(KIT['Commands'])}}}"),
    },
}
RENAMED = {
    "clauses": "explain rules",
    "mistakes": "explain mistakes",
    "compare": "check --pair",
    **{name: f"kit {name}" for name in KIT["Commands"]},
}
"""Names of before, for one release."""
