"""The texts: the language reference that CPython itself ships."""

from collections.abc import Iterable, Mapping
from typing import Final

EVERYTHING: Final = ("*",)
"""The name of all topics together."""
_NAMED: Final = 2
"""Topics that a document is called by; more are only counted."""


class TextsMissing(RuntimeError):  # noqa: N818 - said as the fact that it is
    """This Python was installed without its language reference; the message is one line."""


def topics() -> Mapping[str, str]:
    """The topics of the language reference by name; raises `TextsMissing`."""
    try:
        from pydoc_data.topics import topics as found  # half a megabyte, only read where it is needed
    except ImportError as error:
        raise TextsMissing("this Python has no pydoc_data.topics; install its standard library as a whole") from error
    return found


def document(names: Iterable[str]) -> tuple[str, str]:
    """The topics of these names joined into one document: its name and its text.

    Names that this version of Python does not know are passed over. Raises `TextsMissing` when nothing is left.
    """
    known = topics()
    wanted = sorted(known) if tuple(names) == EVERYTHING else [name for name in names if name in known]
    if not wanted:
        raise TextsMissing(f"the language reference of this Python has none of the topics {', '.join(names)}")
    title = "+".join(wanted) if len(wanted) <= _NAMED else f"{len(wanted)}-topics"
    return f"{title}.txt", "\n\n".join(known[name] for name in wanted)
