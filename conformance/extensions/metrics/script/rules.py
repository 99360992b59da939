"""What a metric script is held to (document 000, and what harbor 0.13.1 does with it)."""

from conformance.extensions.metrics.findings import rules_of

__all__ = ["RULES"]

RULES = rules_of("""
exit-code | required | 000-run-exit-code | The script exits with 0, or the job dies.
no-output | required | 000-run-no-output | The script writes its output file.
not-json | required | 000-broken-json | The output is one JSON document in UTF-8.
not-an-object | required | 000-out-first-metric | The output is a JSON object.
empty-object | required | 000-out-first-metric | The output has at least one value.
first-value | required | 000-out-first-metric | The first value is a number that fits a double, as harbor prints it.
prints-non-utf-8 | required | 000-run-stdout-encoding | What the script prints is UTF-8 text.
never-ends | required | 000-args-no-timeout | The script ends: harbor waits for ever.
too-much | required | 000-run-stdout-ignored | What the script prints and writes fits into memory: harbor reads it all.
working-directory | required | 000-args-working-directory | The script finds its files wherever it is started.
no-trials | documented | 000-args-no-trials | The script copes with no trials.
long-options | documented | 000-args-long | --input-path and --output-path are accepted.
nan-out | documented | 000-out-object | Finite rewards give JSON, which has no NaN.
repeats | documented | 000-intro-aggregates | The same rewards give the same output each time.
constant | documented | 000-intro-aggregates | The output depends on the trials and their rewards.
trials-left-out | documented | 000-intro-aggregates | Every trial counts, the last and those after many others too.
equal-rewards | documented | 000-lines-one-per-trial | Of trials with equal rewards each counts.
ints | documented | 000-lines-numbers | An int counts as the float of the same value, and means are not rounded down.
state | documented | 000-args-file-names | The output comes from this call's rewards, whatever calls there were before.
changes-input | documented | 000-args-file-names | The script leaves its input as it is.
writes-elsewhere | documented | 000-args-file-names | The script writes nothing but its output and temporary files.
other-shapes | advice | 000-template-one-key-only | A script may refuse trials that it is not made for; with one of them the job dies.
odd-numbers | advice | 000-lines-non-finite | Rewards may be negative, NaN, infinite or huge; a script that refuses them kills the job.
rewards-unread | advice | 000-intro-aggregates | The rewards change the output, not only the number of trials.
list-length | advice | 000-intro-aggregates | The same shares of rewards give the same, however many trials there are.
text-order | advice | 000-lines-numbers | Rewards are compared as numbers.
key-case | advice | 000-lines-object | Keys that differ in case are different keys.
key-count | advice | 000-lines-object | A trial counts once, however many keys it has.
clips | advice | 000-lines-numbers | Rewards above 1 and below 0 are numbers like others.
environment | advice | 000-intro-aggregates | The rewards alone decide; where and when the script runs doesn't.
key-order | advice | 000-lines-key-order | The order of a trial's keys doesn't change the values.
first-key | advice | 000-out-first-metric | The first value, which a job shows, has the same key whatever the data.
output-keys | advice | 000-out-several | The output has the same keys for any list of trials.
values-order | advice | 000-out-several | The values have the same order each time.
value-kind | advice | 000-out-unchecked | All values are finite numbers and no bools.
duplicate-key | advice | 000-out-duplicate-key | No key is in the output twice.
nulls-left-out | advice | 000-intro-missing-is-zero | A trial without rewards counts as 0, unless something else is meant.
missing-counts | advice | 000-intro-missing-is-zero | A trial without a reward counts as 0 or not at all, unless something else is meant.
zeros-left-out | advice | 000-lines-numbers | A reward of 0 is a number like others.
order | advice | 000-run-partial-lists | The order of the trials does not matter.
old-output | advice | 000-args-output-is-new | An old output file is replaced.
metadata-block | advice | 000-args-metadata | The script has a block of inline metadata; without one uv runs it in the caller's project.
leaves-behind | advice | 000-args-working-directory | The script leaves no processes and no files but its output.
""")  # noqa: E501 - a table
"""By name."""
