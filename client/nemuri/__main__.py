"""`python -m nemuri` is the command line."""

from nemuri.cli import main

if __name__ == "__main__":
    main()
