"""Where jobs are: a folder of this machine, an archive, a store elsewhere.

- `locations`: what a user names; `opening`: that as a directory to enter, in place or by way of the cache;
- `archives`, `remote`, `web`: what is there, listed and fetched; `retry`: asking again;
- `filling`: names checked, and which of it the audit reads; `cache`: what is cached, entered.
"""

from conformance.extensions.audit.sources.locations import PlaceError, shown
from conformance.extensions.audit.sources.opening import Fetching, Place, located

__all__ = ["Fetching", "Place", "PlaceError", "located", "shown"]
