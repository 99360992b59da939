"""Audits job directories as harbor, or any other runner, leaves them; nothing is run.

- `reading` reads what a stranger may have written;
- `trials` judges each trial, `job` what the job's files say of them;
- `audit` puts that together for one directory; `findings` and `report` are what comes out.

`against_dataset` holds a job to the kit's own tasks as well, and `rules` sorts findings by rule.
"""
