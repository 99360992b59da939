"""What an audit found: for people in lines, for programs as a JSON document."""
