"""What a metric script is held to (document 000, and what harbor 0.13.1 does with it)."""

from conformance.metric.findings import Rule, table_of

__all__ = ["RULES"]

RULES = table_of(
    (
        Rule("exit-code", "required", "000-run-exit-code", "The script exits with 0, or the job dies."),
        Rule("no-output", "required", "000-run-no-output", "The script writes its output file."),
        Rule("not-json", "required", "000-broken-json", "The output is one JSON document in UTF-8."),
        Rule("not-an-object", "required", "000-out-first-metric", "The output is a JSON object."),
        Rule("empty-object", "required", "000-out-first-metric", "The output has at least one value."),
        Rule(
            "first-value",
            "required",
            "000-out-first-metric",
            "The first value is a number within the range of a double, as harbor prints it.",
        ),
        Rule(
            "prints-non-utf-8", "required", "000-run-stdout-encoding", "What the script prints is UTF-8 text."
        ),
        Rule("never-ends", "required", "000-args-no-timeout", "The script ends: harbor waits for ever."),
        Rule(
            "too-much",
            "required",
            "000-run-stdout-ignored",
            "The script prints and writes what fits into memory, as harbor reads all of it.",
        ),
        Rule(
            "working-directory",
            "required",
            "000-args-working-directory",
            "The script finds its files wherever it is started.",
        ),
        Rule("no-trials", "documented", "000-args-no-trials", "The script copes with no trials."),
        Rule("long-options", "documented", "000-args-long", "--input-path and --output-path are accepted."),
        Rule("nan-out", "documented", "000-out-object", "Finite rewards give JSON, which has no NaN."),
        Rule(
            "repeats",
            "documented",
            "000-intro-aggregates",
            "The same rewards give the same output each time.",
        ),
        Rule(
            "constant",
            "documented",
            "000-intro-aggregates",
            "The output depends on the trials.",
        ),
        Rule(
            "trials-left-out",
            "documented",
            "000-intro-aggregates",
            "Every trial counts, the last and those after many others too.",
        ),
        Rule(
            "state",
            "documented",
            "000-args-file-names",
            "The output comes from this call's rewards, whatever calls there were before.",
        ),
        Rule("changes-input", "documented", "000-args-file-names", "The script leaves its input as it is."),
        Rule(
            "writes-elsewhere",
            "documented",
            "000-args-file-names",
            "The output file is all that the script writes outside of its temporary files.",
        ),
        Rule(
            "other-shapes",
            "advice",
            "000-template-one-key-only",
            "A script may refuse trials that it is not made for; with one of them the job dies.",
        ),
        Rule(
            "odd-numbers",
            "advice",
            "000-lines-non-finite",
            "Rewards may be negative, NaN, infinite or huge; a script that refuses them kills the job.",
        ),
        Rule(
            "rewards-unread",
            "advice",
            "000-intro-aggregates",
            "The rewards change the output, not only the number of trials.",
        ),
        Rule(
            "clips",
            "advice",
            "000-lines-numbers",
            "Rewards above 1 and below 0 are numbers like others.",
        ),
        Rule(
            "equal-rewards",
            "advice",
            "000-lines-one-per-trial",
            "Of trials with equal rewards each counts.",
        ),
        Rule(
            "environment",
            "advice",
            "000-intro-aggregates",
            "The rewards alone decide; no environment variable does.",
        ),
        Rule("values-order", "advice", "000-out-several", "The values stand in the same order each time."),
        Rule("value-kind", "advice", "000-out-unchecked", "All values are finite numbers and no bools."),
        Rule("duplicate-key", "advice", "000-out-duplicate-key", "No key stands twice in the output."),
        Rule(
            "nulls-left-out",
            "advice",
            "000-intro-missing-is-zero",
            "A trial without rewards counts as 0, unless something else is meant.",
        ),
        Rule("order", "advice", "000-run-partial-lists", "The order of the trials does not matter."),
        Rule("old-output", "advice", "000-args-output-is-new", "What stood in the output file is replaced."),
        Rule(
            "metadata-block",
            "advice",
            "000-args-metadata",
            "The script has a block of inline metadata; without one uv runs it in the caller's project.",
        ),
        Rule(
            "leaves-behind",
            "advice",
            "000-args-working-directory",
            "The script leaves neither processes nor files behind, but for its output.",
        ),
    )
)
"""By name."""
