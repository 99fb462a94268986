"""The built-in embedder: it hashes character n-grams. It needs no model and no download, and costs nothing."""

import asyncio
import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.word_lists import is_stop_word
from nemuri_domain.language.writing_systems import CJK, HIRAGANA, WORD
from nemuri_infra.embeddings.calibration import Calibration, Thresholds
from nemuri_infra.embeddings.unit_rows import normalised

CJK_GRAMS: Final = (2, 3)
WORD_GRAMS: Final = (3, 4, 5)
LONGEST_WORD: Final = 64

WHOLE_WORD: Final = 2.0
"""Weight of a whole word (its stem). An n-gram inside a word has weight 1."""
CHARACTER: Final = 0.7
"""Weight of a single character of kanji, katakana or hangul."""
GRAMMAR: Final = 0.05
"""Weight of an n-gram that consists of hiragana only, which is usually a particle or an ending."""

_BATCH_SIZE: Final = 64
_WORDS = re.compile(rf"{WORD}+")
_CJK_RUN = re.compile(f"[{CJK}]+")
_HIRAGANA_RUN = re.compile(f"[{HIRAGANA}]+")
_FACTOR: Final = np.uint64(0x100000001B3)

Hashes = NDArray[np.uint64]
Weights = NDArray[np.float32]
Features = tuple[Hashes, Weights]


class HashingEmbedder:
    """A lexical embedder: texts are similar if they are spelled alike, not if they mean the same.

    Each text becomes a sum of signed slots (feature hashing). Its features depend on the script:

    - Latin and other scripts with spaces: the stems of the words, and the 3- to 5-grams inside the words. English stop
      words are left out unless there is nothing else.
    - Kana, kanji and hangul: the 2- and 3-grams and the single characters.

    A feature that occurs n times counts 1 + ln n. Texts are NFKC-normalised and case-folded first. Equal texts give
    equal vectors in every process and on every machine. The embedder is thread-safe.

    The thresholds are calibrated with 1,024 dimensions by `bench/calibration.py`, on 400 Japanese questions about
    paragraphs (JSQuAD), 400 English ones about turns of conversations (LoCoMo), and 115 answers written by hand.

    - Relevance: 0.08 is the greatest cosine that 98 % of the questions reach with the text that answers them. 6 % and
      66 % of the unrelated texts reach it too; two friends talk in the same words.
    - Use: 0.4 tells used memories from others best. An answer of three sentences, one of them the memory, reaches it
      always, of nine other memories each in 1 of 100 cases (LoCoMo) or in none (JSQuAD). In answers written by hand it
      finds a third of the used memories with a precision of .98.
    - Same: 0.5, the share of words at which two statements are compared too.
    - Recall: 0.1, together with the common words that `shares_topic` of the domain requires, finds a memory for 55 of
      56 prompts that return to a coding session, in two languages, and for none of 79 unrelated prompts.
    """

    model: Final = "hashing-v1"
    stored: Final = False
    lexical: Final = True
    symmetric: Final = True
    calibration: Final = Calibration(
        None, 0.04, 0, "built-in", Thresholds(relevance=0.08, recall=0.1, use=0.4, same=0.5)
    )

    def __init__(self, dimension: int = 1024) -> None:
        if dimension < 1:
            raise ValueError("the dimension must be at least 1")
        self.dimension: Final = dimension

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension). A text of 200 characters takes about 0.3 ms.

        More than 64 texts are embedded in a thread.
        """
        if len(texts) > _BATCH_SIZE:
            return await asyncio.to_thread(self.rows, texts)
        return self.rows(texts)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of `embed_documents`."""
        return await self.embed_documents(texts)

    async def aclose(self) -> None:
        """Do nothing. This embedder has no connections."""

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension). Blocks the event loop."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH_SIZE):
            some = texts[start : start + _BATCH_SIZE]
            rows[start : start + len(some)] = self._sums(some)
        return normalised(rows)

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of a few texts before they are scaled to length 1, shape (len(texts), dimension).

        All texts are computed in one array, because numpy takes as long for a short array as for a long one.
        """
        found = [_features(unicodedata.normalize("NFKC", text).casefold()) for text in texts]
        owners = np.repeat(np.arange(len(texts), dtype=np.uint8), [sum(len(each) for each, _ in one) for one in found])
        hashes, weights = _joined([part for one in found for part in one])
        # Sort by text, and within a text by hash. The order of equal features does not matter.
        order = hashes.argsort()
        order = order[owners[order].argsort(kind="stable")]
        hashes, owners = hashes[order], owners[order]
        other = np.ones(hashes.size, np.bool_)
        other[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
        first = np.flatnonzero(other)
        kinds, counts = hashes[first], np.diff(first, append=hashes.size)
        values = weights[order[first]] * (1 + np.log(counts.astype(np.float32)))
        signed = np.where(kinds >> np.uint64(63), values, -values)
        slots = (kinds % np.uint64(self.dimension)).astype(np.intp) + owners[first].astype(np.intp) * self.dimension
        sums = np.bincount(slots, weights=signed, minlength=len(texts) * self.dimension)
        return sums.reshape(len(texts), self.dimension).astype(np.float32)


def _features(text: str) -> list[Features]:
    words: list[str] = _WORDS.findall(text)
    parts = [_of_word(word[:LONGEST_WORD]) for word in words if not is_stop_word(word)]
    if _CJK_RUN.search(text):
        parts.append(_of_cjk(text))
    return parts or [_of_word(word[:LONGEST_WORD]) for word in words]


def _joined(parts: Sequence[Features]) -> Features:
    if not parts:
        return np.empty(0, np.uint64), np.empty(0, np.float32)
    return np.concatenate([hashes for hashes, _ in parts]), np.concatenate([weights for _, weights in parts])


@lru_cache(maxsize=32_768)
def _of_word(word: str) -> Features:
    points = _points(f"\x02{word}\x03")
    whole = np.array([zlib.crc32(stem(word).encode("utf-8", "replace"))], np.uint64)
    hashes = _mixed(np.concatenate([whole, *(_windows(points, size) for size in WORD_GRAMS)]))
    return hashes, _of_grams(hashes.size)


@lru_cache(maxsize=4 * LONGEST_WORD)
def _of_grams(number: int) -> Weights:
    """Return the weights of a word and its n-grams, `number` features in all. Words of equal length share one array."""
    weights = np.ones(number, np.float32)
    weights[0] = WHOLE_WORD
    return weights


def _of_cjk(text: str) -> Features:
    points = _points(text)
    written, hiragana = _mask(_CJK_RUN, text), _mask(_HIRAGANA_RUN, text)
    single = _mixed(_windows(points, 1)[written & ~hiragana])
    parts: list[Features] = [(single, np.full(single.size, CHARACTER, np.float32))]
    for size in CJK_GRAMS:
        if points.size >= size:
            inside = np.flatnonzero(sliding_window_view(written, size).all(axis=1))
            weights = np.where(sliding_window_view(hiragana, size).all(axis=1), GRAMMAR, 1).astype(np.float32)
            parts.append((_mixed(_windows(points, size)[inside]), weights[inside]))
    return _joined(parts)


def _mask(pattern: re.Pattern[str], text: str) -> NDArray[np.bool_]:
    mask = np.zeros(len(text), np.bool_)
    for match in pattern.finditer(text):
        mask[match.start() : match.end()] = True
    return mask


def _points(text: str) -> Hashes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


def _windows(points: Hashes, size: int) -> Hashes:
    """Return one hash for each run of `size` code points: a polynomial modulo 2^64, still to be mixed by `_mixed`."""
    windows = max(0, points.size - size + 1)
    hashes = np.full(windows, size, np.uint64)
    for offset in range(size):
        hashes = hashes * _FACTOR + points[offset : offset + windows]
    return hashes


def _mixed(hashes: Hashes) -> Hashes:
    """Return the hashes, mixed so that every bit depends on every input bit (with the finaliser of SplitMix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
