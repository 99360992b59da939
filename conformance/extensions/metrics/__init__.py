"""Checks one metric against the contract of the system that it is written for."""
