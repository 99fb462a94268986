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
_SIGNS: Final = tuple(
    re.compile(f"{english}|{japanese}" if japanese else english)
    for english, japanese in (
        (r"\b(?:i|me|my|mine)\b", r"私|僕|俺|わたし|自分"),
        (r"^\W*(?:i|my)\b", r"^\W*(?:私|僕|俺|わたし)"),
        (
            r"\b(?:this|our|the) (?:project|repo(?:sitory)?|codebase|service|package|app)\b|\b(?:here|we|in this)\b",
            r"この(?:プロジェクト|リポジトリ|コードベース|サービス|アプリ)|うちでは|ここでは",
        ),
        (
            r"\b(?:always|never|every|must|only|from now on|in future|whenever|usually)\b",
            r"常に|必ず|いつも|毎回|今後|これから|普段|禁止|ルール|決まり|こと。?$|ならない|いけ(?:ない|ません)",
        ),
        (
            r"\b(?:today|tomorrow|yesterday|tonight|now|(?:this|last|next) (?:morning|night|week|weekend|month))\b",
            r"今日|明日|昨日|昨夜|今朝|来週|今週|週末|[月火水木金土日]曜",
        ),
        (r"[a-z]_[a-z]|\w\(\)|`|\.\w{2,4}\b", ""),
        (r"\?$", r"か。?$"),
        (r"\b(?:you|your|me)\b", ""),
        (r"\b(?:still|not (?:yet|done|finished)|remaining|left|todo|later)\b", r"まだ|残り|残って|あと[はで]|未"),
        (
            r"\b(?:was|were|had|did|got|came|lost|broke|died|[a-z]{2,}ed)\b",
            r"[たっ]た(?:[。!]|けど|ので|ばかり|ところ|$)|ました",
        ),
        (r"\bplease\b|\bdon't\b|, no [a-z]", r"ください|下さい|ほしい|欲しい|ないで|なしで|[てで]。?$"),
        (r"^\W*i(?:'m| am| have) ", r"(?:です|ます|ません)。?$"),
    )
)
"""Signs of grammar: the first person, as the subject, the project, duration, a date, a name of code, a question, an
address, something unfinished, the past, a request, and the present.
"""
_FEW_WORDS: Final = (5, 9)
"""Numbers of words up to which a sentence is short, which are two more signs."""

Floats = NDArray[np.float64]


def features(texts: Sequence[str]) -> Floats:
    """Return the features of sentences, shape (texts, features): the weighted and the plain mean of their word vectors,
    the signs of grammar, and a one for the bias.
    """
    table = word_table()
    words = [table.words(each) for each in texts]
    means = np.array([table.directions(each).sum(axis=0) if len(each) else np.zeros(table.dimension) for each in words])
    means = means.reshape(len(texts), table.dimension)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means = np.divide(means, lengths, out=np.zeros_like(means), where=lengths > 0)
    signs = [_signs(text, len(some)) for text, some in zip(texts, words, strict=True)]
    rows = np.array(signs, np.float64).reshape(len(texts), len(_SIGNS) + len(_FEW_WORDS))
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
    found[[each.endswith(("?", "？")) for each in said], CONCERNS.index("rule")] = 0  # A question sets no rule.
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
    return tuple(each for each, share in zip(said, shares, strict=True) if share >= TELLING)


def own_sentences(text: str) -> list[str]:
    """Return the sentences in a person's own words, without code and quotations, at most `MAX_SENTENCES`."""
    return [each for each in sentences(_QUOTED.sub(" ", own_words(text))) if each.strip()][:MAX_SENTENCES]


def _leaves_open(reply: str) -> bool:
    ending = own_sentences(reply)[-CLOSING:]
    place = CONCERNS.index("open")
    return bool(ending) and bool(probabilities(ending)[:, place].max() >= OPEN_IN_REPLY)


def _signs(text: str, words: int) -> list[bool]:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().strip()
    found = [each.search(plain) is not None for each in _SIGNS]
    return [*found, *(words <= most for most in _FEW_WORDS)]


@cache
def _weights() -> Floats:
    found: Floats = np.load(WEIGHTS).astype(np.float64)
    return found
