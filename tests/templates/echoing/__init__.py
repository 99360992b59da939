"""What the tests of the templates share: projects built once, talks with them, and what they must answer."""
