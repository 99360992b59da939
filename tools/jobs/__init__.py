"""Makers of job directories and leaderboards: for tests, benchmarks and releases.

- `kept` reads jobs that harbor wrote; `described` describes them, `releases` lets releases write them again;
- `model` makes jobs of any release, `leaderboard` many of them with known `faults`;
- `one_number` changes one number of a job, `hostile` makes malicious jobs.
"""
