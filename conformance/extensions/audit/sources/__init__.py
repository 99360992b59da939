"""Where jobs are: a folder of this machine, an archive, a store elsewhere.

- `places`: what a user names, as a directory to enter, in place or by way of the cache;
- `archives`, `remote`: what is there, listed and fetched; `retry`: asking again;
- `filling`: names checked, and which of it the audit reads; `cache`: what is cached, entered.
"""

from conformance.extensions.audit.sources.places import Fetching, Place, PlaceError, located, shown

__all__ = ["Fetching", "Place", "PlaceError", "located", "shown"]
