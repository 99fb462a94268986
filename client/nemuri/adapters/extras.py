"""Errors of adapters whose framework is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed_for(adapter: str, extra: str) -> Iterator[None]:
    """Raise an ImportError of one line if an import in the block fails because a framework is not installed.

    Args:
        adapter: Name of the module that needs the framework, such as "nemuri.adapters.langgraph".
        extra: Extra of the package that installs the framework.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"{adapter} needs {error.name}: pip install 'nemuri[{extra}]'") from error
