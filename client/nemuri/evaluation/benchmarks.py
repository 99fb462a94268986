"""The benchmarks by name."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from nemuri.evaluation import beam, locomo, longmemeval, updates
from nemuri.evaluation.benchmark import BenchmarkFileError, History

UPDATES: Final = "updates"
READERS: Final[dict[str, Callable[[Path], Iterator[History]]]] = {
    "locomo": locomo.read,
    "longmemeval": longmemeval.read,
    "beam": beam.read,
    UPDATES: updates.read,
}


def read_benchmark(name: str, paths: Sequence[Path]) -> list[History]:
    """Return the histories of a benchmark's files. `updates` has a set of its own, and needs no file.

    Raises `BenchmarkFileError` if a file is not one of the benchmark, or if a history is in two of them.
    """
    if not paths and name == UPDATES:
        return list(updates.read())
    histories = [history for path in paths for history in READERS[name](path)]
    names = [history.history_id for history in histories]
    if twice := next((one for one in names if names.count(one) > 1), None):
        raise BenchmarkFileError(f"the history {twice} is in the files twice")
    if not any(history.questions for history in histories):
        raise BenchmarkFileError(f"no question in {', '.join(map(str, paths))}")
    return histories
