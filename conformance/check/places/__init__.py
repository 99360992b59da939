"""Where jobs are: folders, archives, buckets, datasets on a hub; made folders of this machine.

The audit reads folders. Whatever is elsewhere gets a mirror in the cache, with the files that the
audit reads and nothing else, so that the report is the same byte for byte.
"""

from conformance.check.places.locations import PlaceError, shown
from conformance.check.places.opening import CONNECTIONS, Fetching, at_hand, forget

__all__ = ["CONNECTIONS", "Fetching", "PlaceError", "at_hand", "forget", "shown"]
