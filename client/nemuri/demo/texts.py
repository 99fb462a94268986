"""The texts of the demo: the language reference that CPython ships."""

from collections.abc import Iterable, Mapping
from typing import Final

EVERYTHING: Final = ("*",)
"""The name that stands for all topics."""
_NAMED: Final = 2
"""Maximum number of topics that a document's name lists. With more topics, the name has only their number."""


class TextsMissing(RuntimeError):  # noqa: N818 - the name states a fact
    """This Python was installed without its language reference. The message is one line."""


def topics() -> Mapping[str, str]:
    """Return the topics of the language reference by name. Raises `TextsMissing`."""
    try:
        from pydoc_data.topics import topics as found  # half a megabyte, so it is imported on use only
    except ImportError as error:
        raise TextsMissing("this Python has no pydoc_data.topics; install its standard library as a whole") from error
    return found


def document(names: Iterable[str]) -> tuple[str, str]:
    """Join the named topics into one document, and return its name and its text.

    Names that this version of Python does not have are skipped. Raises `TextsMissing` if nothing is left.
    """
    known = topics()
    wanted = sorted(known) if tuple(names) == EVERYTHING else [name for name in names if name in known]
    if not wanted:
        raise TextsMissing(f"the language reference of this Python has none of the topics {', '.join(names)}")
    title = "+".join(wanted) if len(wanted) <= _NAMED else f"{len(wanted)}-topics"
    return f"{title}.txt", "\n\n".join(known[name] for name in wanted)
