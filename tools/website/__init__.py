"""The site: the guides, a page for each rule, the known mistakes. ``python -m tools.website`` builds it."""
