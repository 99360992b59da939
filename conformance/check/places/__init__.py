"""Where jobs are: folders, archives, buckets, datasets on a hub; made folders of this machine."""

from conformance.check.places.opening import Fetching, PlaceError, at_hand

__all__ = ["Fetching", "PlaceError", "at_hand"]
