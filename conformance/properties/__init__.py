"""Properties: statements that hold for every correct runner and every input. hypothesis finds the inputs.

``vectors/<spec>/properties.json`` lists them, each with the clause that it traces; ``rules`` holds the
checks. This package is light to import; hypothesis is imported only when a property is tried.
"""

from conformance.suite.properties import (
    PROPERTIES_FILE,
    Property,
    load_properties,
    properties_file,
    property_ids,
)

__all__ = ["PROPERTIES_FILE", "Property", "load_properties", "properties_file", "property_ids"]
