"""`python -m reference_impl` speaks the runner protocol, version 1."""

from .runner.serving import main

if __name__ == "__main__":
    main()
