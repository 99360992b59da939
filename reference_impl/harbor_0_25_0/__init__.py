"""The reward semantics of harbor 0.25.0 where they differ from 0.13.1's.

A module here has the name of the module whose rules it changes and holds what is otherwise alone;
`operations` is the whole table of this release.
"""
