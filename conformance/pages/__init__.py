"""Pages: the content of a report for display, for all kinds of reports. ``formats`` renders them."""
