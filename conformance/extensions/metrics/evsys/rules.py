"""What an EvSys metric is held to (document 002, and what the source of its package does)."""

from conformance.extensions.metrics.findings import rules_of

__all__ = ["RULES"]

RULES = rules_of("""
cannot-be-made | required | 002-no-config | The class can be made without arguments.
no-compute | required | 002-compute-method | The class has a method compute, not a coroutine.
no-key | required | 002-no-key | A registered class has a key, or a name of its own.
raises | required | 002-left-out | compute gives a value; one that raises is left out.
ends-process | required | 002-left-out | compute returns, and leaves its process running.
never-ends | required | 002-compute-method | compute ends.
too-much | required | 002-compute-method | compute prints and writes within reason.
key-taken | required | 002-duplicate | A key belongs to one class.
differs-from-built-in | required | 002-built-in | A class with a built-in's name answers as the built-in does, bit for bit.
not-a-float | required | 002-to-float | compute returns what Python's float takes; anything else is left out.
takes-parameters | documented | 002-no-config | A metric has no Config and no parameters.
changes-package | documented | 002-pass-threshold | The package's threshold and classes are left as they are.
not-finite | documented | 002-scalar | Finite rewards give a finite number.
tuples | documented | 002-sequences | Lists and tuples give the same number.
no-samples | documented | 002-empty-is-zero | compute copes with no tasks.
changes-input | documented | 002-sequences | The rewards are left as they are.
repeats | documented | 002-scalar | The same rewards give the same number each time.
hash-order | documented | 002-scalar | The same rewards give the same number, whatever the order of sets.
environment | documented | 002-no-config | The same rewards give the same number in every environment.
constant | documented | 002-scalar | A metric's number depends on the rewards.
drops-tasks | documented | 002-scalar | A metric reduces the rewards of all tasks.
threshold | documented | 002-pass-threshold | A reward of 1.0 passes.
equal-rewards | documented | 002-scalar | Equal rewards count each.
int-rewards | documented | 002-scalar | Rewards that are ints count as the floats that equal them.
clips | advice | 002-pass-threshold | Rewards below 0 and above 1 are as they are.
other-scale | advice | 002-pass-threshold | Rewards from 0 to 1 change the number.
above-one | advice | 002-pass-threshold | A reward above 1.0 passes as 1.0 does.
rewards-unread | advice | 002-scalar | Rewards change the number, not the counts of tasks and samples alone.
drops-samples | advice | 002-scalar | A metric reduces all samples of each task.
zeros-left-out | advice | 002-scalar | A reward of 0 counts as others do.
other-threshold | advice | 002-pass-threshold | A reward passes from 1.0 on.
task-order | advice | 002-scalar | The order of the tasks does not change the number.
other-shapes | advice | 002-left-out | compute gives a value for any number of tasks and of samples.
generated-parameters | advice | 002-no-config | Nothing ever sets the fields of a metric.
unreachable | advice | 002-left-out | A metric needs no service or package that may not be at hand.
not-registered | advice | 002-key | A decorator registers the class under a key.
built-in-key | advice | 002-duplicate | A built-in's key is for the built-in.
name | advice | 002-name-set | name is a string on the class; the decorator sets it otherwise.
key-is-name | advice | 002-key-equals-name | The decorator's key is the class's name, which is replaced otherwise.
converted | advice | 002-returns-float | compute returns a float; anything else is converted.
empty-tasks | advice | 002-tasks-with-samples | compute copes with tasks without samples, which a benchmark does not give it.
odd-rewards | advice | 002-pass-threshold | NaN and infinite rewards raise nothing.
ints | advice | 002-returns-float | Rewards that are ints give a float too.
overflow | advice | 002-scalar | Rewards near the end of the doubles raise nothing.
prints | advice | 002-scalar | A metric prints nothing.
""")  # noqa: E501 - a table
"""By name."""
