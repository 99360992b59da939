"""Opens the locations of jobs: folders on this machine, archives, remote stores.

- `places`: the locations that a user names, opened directly or through the cache;
- `archives`, `remote`: list and fetch their content; `retry`: repeats requests;
- `filling`: checks names, and selects what the audit reads; `cache`: stores and opens what was fetched.
"""

from conformance.extensions.audit.sources.places import Fetching, Place, PlaceError, located, shown

__all__ = ["Fetching", "Place", "PlaceError", "located", "shown"]
