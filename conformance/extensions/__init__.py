"""Parts that use the core through its public face and that nothing in the core imports."""
