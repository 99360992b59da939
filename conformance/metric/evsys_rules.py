"""What an EvSys metric is held to (document 002, and what the source of its package does)."""

from conformance.metric.findings import Rule, table_of

__all__ = ["RULES"]

RULES = table_of(
    (
        Rule("cannot-be-made", "required", "002-no-config", "The class can be made without arguments."),
        Rule(
            "no-compute", "required", "002-compute-method", "The class has a method compute, not a coroutine."
        ),
        Rule("no-key", "required", "002-no-key", "A registered class has a key, or a name of its own."),
        Rule("raises", "required", "002-left-out", "compute gives a value; one that raises is left out."),
        Rule("ends-process", "required", "002-left-out", "compute returns, and leaves its process running."),
        Rule("never-ends", "required", "002-compute-method", "compute ends."),
        Rule("too-much", "required", "002-compute-method", "compute prints and writes within reason."),
        Rule("key-taken", "required", "002-duplicate", "A key belongs to one class."),
        Rule(
            "differs-from-built-in",
            "required",
            "002-built-in",
            "What has a built-in's name answers as the built-in does, bit for bit.",
        ),
        Rule(
            "not-a-float",
            "required",
            "002-to-float",
            "compute returns what Python's float takes; anything else is left out.",
        ),
        Rule("takes-parameters", "documented", "002-no-config", "A metric has no Config and no parameters."),
        Rule("not-finite", "documented", "002-scalar", "Finite rewards give a finite number."),
        Rule("tuples", "documented", "002-sequences", "Lists and tuples are sequences alike."),
        Rule("no-samples", "documented", "002-empty-is-zero", "compute copes with no tasks."),
        Rule("changes-input", "documented", "002-sequences", "The rewards are left as they are."),
        Rule("repeats", "documented", "002-scalar", "The same rewards give the same number each time."),
        Rule(
            "hash-order",
            "documented",
            "002-scalar",
            "The same rewards give the same number, in whatever order sets come.",
        ),
        Rule(
            "environment",
            "documented",
            "002-no-config",
            "A metric takes no parameters, from environment variables neither.",
        ),
        Rule("constant", "documented", "002-scalar", "A metric's number depends on the rewards."),
        Rule("drops-tasks", "documented", "002-scalar", "A metric reduces the rewards of all tasks."),
        Rule("clips", "advice", "002-pass-threshold", "Rewards below 0 and above 1 are as they are."),
        Rule(
            "unreachable",
            "advice",
            "002-left-out",
            "A metric needs no service or package that may not be at hand.",
        ),
        Rule("not-registered", "advice", "002-key", "A decorator registers the class under a key."),
        Rule("built-in-key", "advice", "002-duplicate", "A built-in's key is for the built-in."),
        Rule(
            "name",
            "advice",
            "002-name-set",
            "name is a string on the class; the decorator sets it otherwise.",
        ),
        Rule(
            "key-is-name",
            "advice",
            "002-key-equals-name",
            "The decorator's key is the class's name, which is replaced otherwise.",
        ),
        Rule(
            "converted", "advice", "002-returns-float", "compute returns a float; what is none is converted."
        ),
        Rule(
            "empty-tasks",
            "advice",
            "002-tasks-with-samples",
            "compute copes with tasks without samples, which a benchmark does not give it.",
        ),
        Rule("odd-rewards", "advice", "002-pass-threshold", "NaN and infinite rewards raise nothing."),
        Rule("ints", "advice", "002-returns-float", "Rewards that are ints give a float too."),
        Rule("overflow", "advice", "002-scalar", "Rewards near the end of the doubles give a finite number."),
        Rule("prints", "advice", "002-scalar", "A metric prints nothing."),
    )
)
"""By name."""
