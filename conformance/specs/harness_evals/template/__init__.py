"""The templates of the document's page."""
