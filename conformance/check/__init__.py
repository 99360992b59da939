"""Audits job directories as harbor 0.13.1, or any other runner, leaves them; nothing is run.

`files` reads what a stranger may have written, `records` and `reward_files` judge each trial,
`expected` works out what `result.json` has to say, `trial_order` in which order its trials came,
`differences` holds the file to it, `listing` finds out which of two files that disagree is the
one that was changed, and `audit` puts all that together. `findings` and `report` are what comes out.
`against_dataset` holds a job to the kit's own tasks as well, and `rules` sorts findings by rule.
"""
