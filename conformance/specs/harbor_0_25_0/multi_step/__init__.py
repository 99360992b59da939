"""The steps of a trial, as far as harbor 0.25.0 differs from 0.13.1."""
