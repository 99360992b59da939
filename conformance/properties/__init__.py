"""Properties: what holds of every right runner, whatever the input. hypothesis finds the inputs.

``vectors/<spec>/properties.json`` lists them, each with the clause that it traces; ``rules`` hold the checks.
This module and ``listing`` are light; hypothesis is imported where a property is tried.
"""

from conformance.suite.properties import (
    PROPERTIES_FILE,
    Property,
    load_properties,
    properties_file,
    property_ids,
)

__all__ = ["PROPERTIES_FILE", "Property", "load_properties", "properties_file", "property_ids"]
