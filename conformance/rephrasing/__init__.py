"""Published vectors asked again in other words."""
