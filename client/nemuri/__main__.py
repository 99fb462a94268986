"""The command line as `python -m nemuri`."""

from nemuri.cli import main

if __name__ == "__main__":
    main()
