"""Removal of what is no news in a conversation: what an assistant says from memory, what a user's message lists from
memory, and what is asked again.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.language.sentences import sentences, spans

LEAST_CHARACTERS: Final = 8
"""Length from which the words of a memory are recognised in a sentence."""
LEAST_SHARE: Final = 0.5
"""Share of a sentence that the words of a memory must make up, so that it says nothing else."""

QUOTED: Final = ">"
"""First character of a quoted line in Markdown."""
INTRODUCING: Final = (":", "：")
"""Last character of a line that introduces a list."""


def own_words(text: str, remembered: Iterable[str]) -> str:
    """Return a text without the sentences that only repeat one of the remembered texts, perhaps with a few words around
    it; "" if little else is left. Case and white space do not count.
    """
    known = frozenset[str]().union(*map(_sentences_of, remembered))
    said = [text[start:end] for start, end in spans(text)]
    kept = [sentence for sentence in said if not _repeats(_folded(sentence), known)]
    if len(kept) == len(said):
        return text
    return "\n".join(kept) if sum(map(len, kept)) > LEAST_SHARE * sum(map(len, said)) else ""


def listed_sentences(text: str) -> list[str]:
    """Return the sentences of a text that are items of a list or lines of a quotation. A program puts memories into a
    message in this way, while a person states something in the running text.
    """
    return [sentence for line in text.splitlines() if _is_listed(line) for sentence in sentences(line)]


def without_listed(text: str, remembered: Sequence[str]) -> str:
    """Return a text without the items of lists and the lines of quotations that only repeat one of the remembered
    texts, and without the line with a colon that introduces them. What stands in the running text is kept, although it
    may repeat a memory.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    kept = [own_words(line, remembered) if _is_listed(line) else line for line in lines]
    if kept == lines:
        return text
    for number, line in enumerate(lines):
        if line.rstrip().endswith(INTRODUCING):
            items = takewhile(
                lambda item: _is_listed(item[0]), zip(lines[number + 1 :], kept[number + 1 :], strict=True)
            )
            left = [words for _, words in items]
            kept[number] = line if any(left) or not left else ""
    return "\n".join(filter(None, kept))


def _is_listed(line: str) -> bool:
    return line.lstrip().startswith(QUOTED) or marker_end(line, 0, len(line)) > 0


@lru_cache(maxsize=4_096)
def _sentences_of(memory: str) -> frozenset[str]:
    """Return a memory and its sentences, folded, without very short ones. Those of recent memories are kept, because
    each thing that an assistant says is compared with many of the same memories.
    """
    said = map(_folded, (memory, *sentences(memory)))
    return frozenset(sentence for sentence in said if len(sentence) >= LEAST_CHARACTERS)


def is_known_request(text: str, remembered: Iterable[str]) -> bool:
    """Return True if a text only asks, and has been said before."""
    said = _folded(text)
    return any(_folded(memory) == said for memory in remembered) and all(map(is_request, sentences(text)))


def _repeats(sentence: str, known: Iterable[str]) -> bool:
    return any(memory in sentence and len(memory) >= LEAST_SHARE * len(sentence) for memory in known)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!?。！？")
