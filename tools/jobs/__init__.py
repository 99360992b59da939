"""Makers of job directories and leaderboards: for tests, benchmarks and releases.

- `kept` reads jobs that harbor wrote; `described` describes them, `releases` has releases write them anew;
- `model` makes jobs of any release, `leaderboard` many of them with known `faults`;
- `one_number` changes one number of a job, `hostile` makes jobs that mean harm.
"""
