"""Reading of the answers that agents give to questions of an experiment. What is ambiguous is not read."""

import re
from collections.abc import Collection
from typing import Final

from nemuri_society.contracts.society import Society

_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def number_in(answer: str) -> float | None:
    """Return the number in an answer; None if it has none, or several that differ."""
    numbers = {float(number) for number in _NUMBER.findall(answer)}
    return numbers.pop() if len(numbers) == 1 else None


def choice_in(answer: str, options: Collection[str]) -> str | None:
    """Return the option that an answer names; None if it names none, or several."""
    words = {word.casefold() for word in re.findall(r"\w+", answer)}
    named = [option for option in options if option.casefold() in words]
    return named[0] if len(named) == 1 else None


def marks_in(answer: str, names: Collection[str]) -> dict[str, float]:
    """Return the mark from 0 to 10 that follows each of these names in an answer, as in "Ann: 7, Bo: 3.5"."""
    found = dict[str, float]()
    for name in names:
        mark = re.search(rf"\b{re.escape(name)}\b[^\w.]+(?P<mark>\d+(?:\.\d+)?)", answer, re.IGNORECASE)
        if mark and 0 <= float(mark["mark"]) <= 10:
            found[name] = float(mark["mark"])
    return found


def options_of(question: str) -> tuple[str, ...]:
    """Return the options of a question: the words after its last colon."""
    return tuple(dict.fromkeys(word for word in re.findall(r"\w+", question.rpartition(":")[2]) if word != "or"))


def probe_with(society: Society, words: str) -> str:
    """Return the question of the society's probes that contains these words.

    Raises ValueError if there is none: the society file is not one of this experiment.
    """
    for probe in society.probes:
        if words in probe.question:
            return probe.question
    raise ValueError(f"probes: the experiment needs a question with the words {words!r}")
