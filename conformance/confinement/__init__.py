"""A sandbox for untrusted commands: bubblewrap, the files it exposes, and the files a Python needs."""
