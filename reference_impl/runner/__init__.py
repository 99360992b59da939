"""The reference as a runner: the wire forms of its values, the table of operations, the loop."""
