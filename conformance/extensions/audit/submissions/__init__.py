"""Submissions: folders of jobs, and leaderboards of such folders, found and rolled up."""
