"""The templates on the document's page."""
