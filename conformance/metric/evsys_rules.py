"""What an EvSys metric is held to (document 002)."""

from conformance.metric.findings import Rule, table_of

__all__ = ["RULES"]

RULES = table_of(
    (
        Rule("cannot-be-made", "required", "002-no-config", "The class can be made without arguments."),
        Rule(
            "no-compute", "required", "002-compute-method", "The class has a method compute, not a coroutine."
        ),
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
        Rule("name", "documented", "002-class-name", "name is a string on the class, and not empty."),
        Rule("key-is-name", "documented", "002-key-equals-name", "The decorator's key is the class's name."),
        Rule("takes-parameters", "documented", "002-no-config", "A metric has no Config and no parameters."),
        Rule("not-a-float", "documented", "002-returns-float", "compute returns a float."),
        Rule("not-finite", "documented", "002-scalar", "Finite rewards give a finite number."),
        Rule("tuples", "documented", "002-sequences", "Lists and tuples are sequences alike."),
        Rule("no-samples", "documented", "002-empty-is-zero", "compute copes with no tasks and empty tasks."),
        Rule("changes-input", "documented", "002-sequences", "The rewards are left as they are."),
        Rule("repeats", "documented", "002-scalar", "The same rewards give the same number each time."),
        Rule("not-registered", "advice", "002-key", "A decorator registers the class under a key."),
        Rule("built-in-key", "advice", "002-duplicate", "A built-in's key is for the built-in."),
        Rule("odd-rewards", "advice", "002-pass-threshold", "NaN and infinite rewards raise nothing."),
        Rule("ints", "advice", "002-returns-float", "Rewards that are ints give a float too."),
        Rule("overflow", "advice", "002-scalar", "Rewards near the end of the doubles give a finite number."),
        Rule("prints", "advice", "002-scalar", "A metric prints nothing."),
    )
)
"""By name."""
