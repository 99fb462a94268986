"""What is no news in a conversation: what an assistant says from memory, and what is asked again."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.language.sentences import sentences, spans

LEAST_CHARACTERS: Final = 8
"""Length from which the words of a memory are recognised in a sentence."""
LEAST_SHARE: Final = 0.5
"""Share of a sentence that the words of a memory must make up, so that it says nothing else."""


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
