"""Pages: what a report shows, whatever it is a report of. ``formats`` renders them."""
