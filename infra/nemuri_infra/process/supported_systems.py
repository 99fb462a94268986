"""The operating systems on which the program runs."""

import sys

WINDOWS = "win32"


def unsupported_reason() -> str | None:
    """Return one sentence that says why the program does not run on this operating system; None if it does."""
    if sys.platform != WINDOWS:
        return None
    return (
        "nemuri does not run on Windows itself, because its data directory, its hooks and its service need file locks,"
        " sessions and signals of Linux or macOS; install it in WSL (`wsl --install`) and run it there"
    )
