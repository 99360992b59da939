"""The conformance kit: checks any harbor runner, byte for byte, against harbor 0.13.1.

Where things are:

- ``ops``, ``profile_ops``, ``numbers``, ``protocol``: the messages of the runner protocol (PROTOCOL.md).
- ``process``, ``conversation``, ``oneshot``, ``blame``: a runner's process and the talk with it.
- ``vectors``, ``canonical``, ``lockfile``, ``clauses``: the vector files and what guards them.
- ``comparison``, ``verdict``, ``known_failures``, ``report``, ``failure_text``: what an answer is worth.
- ``plugin``: ``pytest --runner``. ``cli``: ``harbor-conformance``.
- ``metric``, ``pytest_metric``: checks of a single metric that somebody wrote.
- ``oracle``, ``spec_oracles``, ``adapters``, ``sources``, ``regen``: where the expected answers come from.
"""

__version__ = "0.3.0"
