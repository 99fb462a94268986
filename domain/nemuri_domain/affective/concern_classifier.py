"""Classification of what a turn concerns: the user, the user's present life, a rule of the project, something left
open, work, or nothing worth telling.

A sentence is read by the built-in word vectors and by some signs of its grammar: its person, its scope, its time. The
weights of the logistic regression are fitted by `python -m bench.concerns`.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Concern
from nemuri_domain.affective.spoken_text import own_words
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.word_table import word_table

CONCERNS: Final[tuple[Concern, ...]] = get_args(Concern)
WEIGHTS: Final = Path(str(resources.files("nemuri_domain.affective"))) / "concern_weights.npy"
"""File of the weights, shape (features, concerns). The last row is the bias."""
PROBABLE: Final[dict[Concern, float]] = {"user": 0.6, "life": 0.5, "rule": 0.5, "open": 0.5, "trivia": 0.5}
"""Minimum probability of a concern. What holds in every project needs more."""
LIKELY: Final = 0.25
"""Minimum probability that a sentence is about the user's life, if the lists of words say so too."""
MANY: Final = 3
"""Number of sentences above which one of them needs `SURER` more, because one of many is read wrongly by chance."""
SURER: Final = 0.15
TELLING: Final = 0.4
"""Minimum probability of a sentence that tells what a turn concerns, once that is known."""
OPEN_IN_REPLY: Final = 0.8
"""Minimum probability that the end of a reply leaves something open. Replies tell mostly what was done."""
MAX_SENTENCES: Final = 40
"""Maximum number of sentences of a text that are classified."""
CLOSING: Final = 3
"""Number of sentences at the end of a reply that may say that something is left open."""
_SHORT_REPLY: Final = 400
"""Maximum characters of a reply to a prompt that says nothing, if the turn says nothing either."""
_SIGN: Final = 0.35
"""Value of a sign of grammar that a sentence has."""

_QUOTED = re.compile(r"「[^「」]{0,200}」(?=と|って)|『[^『』]{0,200}』|\"[^\"]{0,200}\"|“[^“”]{0,200}”")
_SIGNS: Final = WordFile("affective/signs")
_FEW_WORDS: Final = (5, 9)
"""Numbers of words up to which a sentence is short, which are two more signs."""

Floats = NDArray[np.float64]


def features(texts: Sequence[str]) -> Floats:
    """Return the features of sentences, shape (texts, features): the weighted and the plain mean of their word vectors,
    the signs of grammar, and a one for the bias.
    """
    table = word_table()
    words = [table.words(text) for text in texts]
    means = np.array([table.directions(word).sum(axis=0) if len(word) else np.zeros(table.dimension) for word in words])
    means = means.reshape(len(texts), table.dimension)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means = np.divide(means, lengths, out=np.zeros_like(means), where=lengths > 0)
    signs = [_signs(text, len(some)) for text, some in zip(texts, words, strict=True)]
    rows = np.array(signs, np.float64).reshape(len(texts), len(_SIGNS.sections()) + len(_FEW_WORDS))
    return np.hstack([table.vectors(words).astype(np.float64), means, rows * _SIGN, np.ones((len(texts), 1))])


def probabilities(texts: Sequence[str]) -> Floats:
    """Return the probabilities of the concerns of sentences, shape (texts, concerns). Each row adds up to 1."""
    scores = features(texts) @ _weights()
    shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    found: Floats = shares / shares.sum(axis=1, keepdims=True)
    return found


def concern_of(prompt: str, reply: str, *, personal: bool) -> Concern:
    """Return what a turn concerns. `personal` is True if lists of words say that it is about the user's life.

    What is said about the user comes first, then a rule of the project, then what the prompt or the end of the reply
    leaves open.
    """
    said = own_sentences(prompt)
    if not said:
        return "work"
    found = probabilities(said)
    found[[sentence.endswith(("?", "？")) for sentence in said], CONCERNS.index("rule")] = 0  # A question sets no rule.
    surer = SURER if len(said) > MANY else 0.0
    best = dict(zip(CONCERNS, found.max(axis=0).tolist(), strict=True))
    if best["user"] >= PROBABLE["user"] + surer:
        return "user"
    if best["life"] >= (LIKELY if personal else PROBABLE["life"] + surer):
        return "life"
    if best["rule"] >= PROBABLE["rule"] + surer:
        return "rule"
    if best["open"] >= PROBABLE["open"] + surer or _leaves_open(reply):
        return "open"
    trivial = found[:, CONCERNS.index("trivia")].min() >= PROBABLE["trivia"]
    return "trivia" if trivial and len(reply) <= _SHORT_REPLY else "work"


def telling(text: str, concern: Concern) -> tuple[str, ...]:
    """Return the sentences of a text that tell what it concerns, in their order; none if no sentence does."""
    said = own_sentences(text)
    if not said:
        return ()
    shares = probabilities(said)[:, CONCERNS.index(concern)]
    return tuple(sentence for sentence, share in zip(said, shares, strict=True) if share >= TELLING)


def own_sentences(text: str) -> list[str]:
    """Return the sentences in a person's own words, without code and quotations, at most `MAX_SENTENCES`."""
    return [sentence for sentence in sentences(_QUOTED.sub(" ", own_words(text))) if sentence.strip()][:MAX_SENTENCES]


def _leaves_open(reply: str) -> bool:
    ending = own_sentences(reply)[-CLOSING:]
    index = CONCERNS.index("open")
    return bool(ending) and bool(probabilities(ending)[:, index].max() >= OPEN_IN_REPLY)


def _signs(text: str, words: int) -> list[bool]:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().strip()
    found = [_SIGNS.pattern(sign).search(plain) is not None for sign in _SIGNS.sections()]
    return [*found, *(words <= most for most in _FEW_WORDS)]


@cache
def _weights() -> Floats:
    found: Floats = np.load(WEIGHTS).astype(np.float64)
    return found
