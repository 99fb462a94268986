"""The needs of tests that only root can run, with programs of Debian's packages."""

import os
import shutil
from collections.abc import Iterable


def missing_for(doing: str, programs: Iterable[str]) -> str | None:
    """Return the reason why this machine cannot do something as root with these programs; None if it can."""
    if os.geteuid() != 0:
        return f"only root may {doing}"
    absent = [program for program in programs if shutil.which(program) is None]
    return f"there is no {', '.join(absent)}" if absent else None
