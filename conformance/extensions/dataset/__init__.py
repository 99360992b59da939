"""Datasets of small tasks that any harbor-compatible runner can run, and the judgement of the jobs it wrote.

`table` lists the tasks, `situations` says what a task is, `tasks` writes one as files,
`expectations` says what a conforming runner reports, `writing` puts all that into a folder.
`manifest` reads the expectations back, and `judge` holds a job to them, with `outcomes`.
"""
