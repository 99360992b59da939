"""Two releases of harbor side by side: what changed from one to the other, as far as an op can show it.

- ``questions``: the kit's vectors, the jobs that are played back, and random inputs, one stream;
- ``sides``: asking the two, where the failure of one loses nothing of the rest;
- ``changes``: which differences are one; ``small``: the inputs that show it, made small;
- ``engine``: the loop; ``report``, ``text``: what is written;
- ``overlay``, ``package``: a spec that is a difference to another, written for a person to review.
"""
