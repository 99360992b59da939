"""Known mistakes in this section: the templates of the document's page."""
