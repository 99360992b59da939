"""What counts for and against a change in the search, and how much work the search may do."""

AGAINST_PASS = 3.0
"""What an answer counts that the runner gets right, and the composition wrong."""
AGAINST_OTHER = 0.3
"""What a failure counts that both get wrong in different ways."""
MISSES = 3
"""Failures that a candidate may change to no avail before it is dropped, where it has hit none."""
FITTED = ((200, 160), (600, 80), (1000, 40), (1 << 30, 16))
"""The most failures, and the most right answers, that are looked at first, by the mean length of inputs."""
TRIED = 8
"""Additions that are worked out exactly, each time."""
ROUNDS = 3
"""How often so many more are worked out, as long as none of them is any good."""
POOL, OF_EACH = 60, 6
"""Candidates that stay after the filter, and those of each failure of the sample."""
SHARE = 0.7
"""What a change costs at least, of its cost."""
ALIKE = 3
"""Of candidates that do the same to the sample, those that stay."""
MANY = 32
"""Candidates that do the same to the sample, and are compared on more."""
HALVES = 2
"""One in so many failures is compared first; then so many times as many candidates as stay, on all."""
RIGHT = 48
"""Right answers on which a condition is tried whose effect is quickly known."""
READ = 100
"""Wrong answers that the constants of changes within the reference are read off."""
KNOWN = 40
"""Known mistakes that are looked at before the space is."""
NEEDED = 2
"""Failures that only a known mistake gives, for it to stay though others are left."""
UNTOUCHED, VALUE, GENERATED = 0.5, 0.1, 2.5
"""The work for an input that a change does not touch, for each value at its place; for making a change."""
FILTERINGS = 3
"""The most filterings of the space in one run of the search."""
IN_SPACE, MOST_AT_ONCE = 0.5, 0.7
"""The share of the work that is left which one look through the space may take, and one within the
reference."""
ALIEN = 0.9
"""Where more of the failures are left after a filtering, nothing else is looked for."""
PLACES = 12
"""The most places of an op, for each failure that is left, at which something is looked for."""
NEAR = 0.7
"""How much less another may fit than what is chosen, and still be its rival in experiments."""
FAMILIAR = 0.5
"""The share of its cost that a habit costs which was found in another op."""
MOST = 12
"""The most changes of one op."""
INSTEAD = 40_000.0
"""The work for looking for something else in place of what new inputs refute."""
FEW = 0.05
"""The share of failures that must be left for a look within the reference."""
LOOKS = 4
"""How often more of the evidence is looked at."""
