"""Known mistakes in this section: reason codes: texts of errors, made codes."""
