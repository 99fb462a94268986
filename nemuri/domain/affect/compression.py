"""A memory in fewer words: sentences of its own, then words of its own (document 001, three levels of compression)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from nemuri.contracts.affect import SUMMARY_LIMIT, Tag
from nemuri.domain.affect.lexicon_words import FEELINGS
from nemuri.domain.language.keywords import candidates, keywords
from nemuri.domain.language.passages import Passage, most_telling, passages
from nemuri.domain.language.scripts import CJK, HIRAGANA, KANJI, KATAKANA, is_cjk
from nemuri.domain.language.sentences import normalised

EXTRACTIVE: Final = "extractive"
"""By whom such a compression is."""
MOST_WORDS: Final = 3

_SUMMARISED: Final = 20_000
"""Characters of a text that are looked through for sentences."""
_FALLBACK: Final = 24
_FELT: Final = 1.4
"""How much more a sentence tells in which something is felt."""
_NAMES: Final[dict[Tag, str]] = {
    "joy": "喜び", "satisfaction": "満足", "relief": "安堵", "excitement": "興奮",
    "gratitude": "感謝", "pride": "誇り", "hope": "希望", "love": "愛情", "curiosity": "好奇心",
    "sadness": "悲しみ", "anger": "怒り", "frustration": "苛立ち", "anxiety": "不安",
    "fear": "恐れ", "disgust": "嫌悪", "regret": "後悔", "loneliness": "孤独",
    "guilt": "罪悪感", "resignation": "諦め", "nostalgia": "懐かしさ", "surprise": "驚き",
    "confusion": "困惑", "determination": "決意",
}  # fmt: skip
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
_FEELING = re.compile(r"\s*(?:The user felt (?:[a-z]+, )*[a-z]+\.|ユーザーの気持ち：[^。]{1,60}。)\Z")
"""The sentence that `reaction` adds: the tags say the same."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_SENTENCES: Final[dict[str, tuple[int, int, int]]] = {"trigger": (2, 160, 80), "content": (3, 400, 160)}
"""Of a summary at level 2: sentences, characters, and how short a text is left as it is."""


def cleaned(text: str) -> str:
    """The text as every store takes it: without NUL, lone surrogates replaced."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def summary(text: str, *, most: int, characters: int, whole: int, about: str = "") -> str:
    """Up to `most` of the text's own sentences, the most telling ones in their order, in about so many characters.

    The first chosen always fits. A text of at most `whole` characters is told whole, on one line. Never longer than
    the text.
    """
    plain = normalised(text)
    if len(plain) <= whole:
        return plain
    chosen = _chosen(text[:_SUMMARISED], most, characters, about)
    told = _joined(chosen) if chosen else plain[:characters].rstrip()
    return told if len(told) < len(plain) else plain[:SUMMARY_LIMIT]


def reaction(reply: str, tags: Sequence[Tag], prompt: str) -> str:
    """What a memory holds of a reply: a summary of it, and what the user felt, where something was felt."""
    told = summary(reply, most=5, characters=700, whole=300, about=prompt)
    return " ".join(part for part in (told, _feeling(tags, prompt)) if part)


def compressed(level: Literal[2, 3], trigger: str, content: str) -> tuple[str, str]:
    """A memory's trigger and content at a level, from its own words; neither gets longer.

    Level 2: one or two sentences of the trigger and up to three of the content. Level 3: up to three keywords of each
    (fewer where it has no more), joined by ", "; words at level 3 stay as they are.
    """
    if level == 3:
        return _words(cleaned(trigger)), _words(_FEELING.sub("", cleaned(content)))
    told = (
        summary(text, most=most, characters=characters, whole=whole)
        for text, (most, characters, whole) in zip(
            (cleaned(trigger), cleaned(content)), _SENTENCES.values(), strict=True
        )
    )
    first, second = told
    return first, second


def listed(words: Iterable[str]) -> str:
    """Words as level 3 holds them."""
    return ", ".join(words)


def _chosen(text: str, most: int, characters: int, about: str) -> list[Passage]:
    """The most telling sentences, in their order."""
    every = [_weighed(each) for each in passages("", text)]
    favoured = {key for key, _ in candidates(about[:_SUMMARISED])}
    left = list(every)
    picked: list[Passage] = []
    room = characters
    while left and len(picked) < most:
        best = most_telling(left, favoured)
        if best is None or (picked and len(best.text) > room):
            break
        left = [each for each in left if each is not best and each.text != best.text]
        picked.append(best)
        room -= len(best.text)
    return [each for each in every if any(each is one for one in picked)]


def _weighed(passage: Passage) -> Passage:
    felt = any(feeling.words.search(passage.text.casefold()) for feeling in FEELINGS)
    return replace(passage, fitness=passage.fitness * _FELT) if felt else passage


def _joined(chosen: Sequence[Passage]) -> str:
    text = ""
    for each in chosen:
        tight = not text or (text[-1] in "。！？｡」』" and is_cjk(each.text[0]))
        text += each.text if tight else f" {each.text}"
    return text


def _feeling(tags: Sequence[Tag], prompt: str) -> str:
    if not tags:
        return ""
    if _JAPANESE.search(prompt):
        return f"ユーザーの気持ち：{'、'.join(_NAMES[tag] for tag in tags)}。"
    return f"The user felt {', '.join(tags)}."


def _words(text: str) -> str:
    """The best keywords in the order of their first occurrence; where there are none, the first words."""
    plain = unicodedata.normalize("NFKC", text).strip()
    found = keywords(plain[:_SUMMARISED], 2 * MOST_WORDS)
    best = [word for word in found if keywords(word, 2) == (word,)][:MOST_WORDS]
    best.sort(key=plain.find)
    return _fitting(best, len(text)) or _fitting(_runs(plain), len(text)) or text.strip()[:_FALLBACK].strip()


def _runs(plain: str) -> list[str]:
    runs = list(dict.fromkeys(match.group() for match in _RUN.finditer(plain[:_SUMMARISED])))
    return [run[:_FALLBACK] for run in runs[:MOST_WORDS]]


def _fitting(words: Sequence[str], room: int) -> str:
    for count in range(len(words), 0, -1):
        told = listed(words[:count])
        if len(told) <= room:
            return told
    return ""
