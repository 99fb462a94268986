"""The operating systems on which the program runs."""

import sys

WINDOWS = "win32"


def unsupported_reason() -> str | None:
    """Return one sentence that says why the command line does not run on this operating system; None if it does."""
    if sys.platform != WINDOWS:
        return None
    return (
        "the command line and the platform do not run on Windows itself, because the data directory, the hooks and the"
        " service need file locks, sessions and signals of Linux or macOS; install nemuri in WSL (`wsl --install`) and"
        " run it there. With a platform elsewhere these work here: `nemuri.connect()` with NATS_URL, HTTP, MCP by HTTP"
    )
