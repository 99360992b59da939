"""Runs vectors: options, the session with the runner, repetitions and transcripts."""
