"""Submissions (folders of jobs) and leaderboards of submissions: found and summarised."""
