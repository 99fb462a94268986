"""Compression of a memory's text by extraction, to a summary and then to keywords (document 001, three levels of
compression).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from nemuri_contracts.affective import SUMMARY_LIMIT, Tag
from nemuri_domain.affective.emotion_lexicon import expresses_emotion
from nemuri_domain.affective.kept_code import prose, with_code
from nemuri_domain.affective.spoken_text import without_code_blocks
from nemuri_domain.language.boilerplate import boilerplate_reason
from nemuri_domain.language.keywords import candidates, keywords
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.writing_systems import CJK, HIRAGANA, KANJI, KATAKANA, is_cjk
from nemuri_domain.retrieval.passage_ranking import Passage, most_central, passages

EXTRACTIVE: Final = "extractive"
"""Model name that is recorded for a compression by extraction."""
KEYWORDS_PER_TEXT: Final = 3
WHOLE_TRIGGER: Final = 1_000
"""Maximum characters of the prompt in a memory with its whole text."""
WHOLE_CONTENT: Final = 3_000
"""Maximum characters of the reply in a memory with its whole text (document 001, level 1: hundreds to thousands)."""

_LEFT_OUT: Final = "\n[…]\n"
_FENCE: Final = "\n```"
_FENCED_LINE = re.compile(r"^[ \t]{0,9}```", re.MULTILINE)
_BREAK_BEFORE = re.compile(r"(?:\n[^\n]{0,200}|(?<=[.!?。！？])[^.!?。！？\n]{0,200}|\s[^\s]{0,60})\Z")
"""The unfinished rest of a text after its last whole line, sentence or word."""
_BREAK_AFTER = re.compile(r"\A(?:[^\n]{0,200}\n|[^.!?。！？\n]{0,200}[.!?。！？](?!\S)|[^\s]{0,60}\s)")
_BLANK = re.compile(r"\n{3,}")
_SUMMARISED: Final = 20_000
"""Maximum characters of a text that are searched for sentences."""
_FALLBACK: Final = 24
_FELT: Final = 1.4
"""Factor on the weight of a sentence that expresses an emotion."""
_FIRST: Final = 1.3
"""Factor on the weight of the first sentence, which often names the topic."""
_NAMES: Final[dict[Tag, str]] = {
    "joy": "喜び", "satisfaction": "満足", "relief": "安堵", "excitement": "興奮",
    "gratitude": "感謝", "pride": "誇り", "hope": "希望", "love": "愛情", "curiosity": "好奇心",
    "sadness": "悲しみ", "anger": "怒り", "frustration": "苛立ち", "anxiety": "不安",
    "fear": "恐れ", "disgust": "嫌悪", "regret": "後悔", "loneliness": "孤独",
    "guilt": "罪悪感", "resignation": "諦め", "nostalgia": "懐かしさ", "surprise": "驚き",
    "confusion": "困惑", "determination": "決意",
}  # fmt: skip
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
_FEELING_TEXT: Final = (
    r"(?:\A|(?<=[\s。！？｡」』]))(?:The user felt (?:[a-z]+, )*[a-z]+\.|ユーザーの気持ち：[^。]{1,60}。)"
)
_FEELING = re.compile(rf"{_FEELING_TEXT}\Z")
"""The sentence with the emotion tags that `whole_content` appends."""
_FEELING_LINE = re.compile(rf"{_FEELING_TEXT}$", re.MULTILINE)
"""The same at the end of a line. The files, commands and errors of the turn may follow."""
_LONGEST_FEELING: Final = 200
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")


def cleaned(text: str) -> str:
    """Return the text with NUL replaced by spaces, and lone surrogates by question marks."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def topic_text(trigger: str, content: str, keywords: Iterable[str]) -> str:
    """Return the text of a memory that shows its topic, without the sentence that tells the user's feeling."""
    return "\n".join((trigger, _FEELING_LINE.sub("", content), *keywords))


def summary(text: str, *, most: int, characters: int, whole: int = 0, about: str = "") -> str:
    """Return the most informative sentences of a text, up to `most`, in their order, with about `characters` characters
    together.

    Code blocks and boilerplate are left out. The most informative sentence is always included, even if it is longer.
    Sentences with keywords of the text `about` are preferred. A text of at most `whole` characters is returned whole,
    on one line. The result is never longer than the text.
    """
    prose = without_code_blocks(text)
    plain = normalised(prose)
    if len(plain) <= whole or (len(plain) <= characters and len(sentences(prose)) <= most):
        return plain
    chosen = _chosen(prose[:_SUMMARISED], most, characters, about)
    told = _joined([passage.text for passage in chosen]) if chosen else plain[:characters].rstrip()
    return told if len(told) < len(plain) else plain[:SUMMARY_LIMIT]


def shortened_lines(text: str, limit: int) -> str:
    """Return the text with its lines and its code. A text longer than `limit` characters keeps its beginning and its
    end.

    A marker stands for the part left out. If a code block is cut, it is closed before the marker and opened again after
    it.
    """
    whole = _BLANK.sub("\n\n", "\n".join(line.rstrip() for line in text.splitlines())).strip("\n")
    if len(whole) <= limit:
        return whole
    room = limit - len(_LEFT_OUT) - 2 * len(_FENCE)
    head = _BREAK_BEFORE.sub("", whole[: room * 2 // 3], count=1)
    tail = _BREAK_AFTER.sub("", whole[len(head) :][-(room - len(head)) :], count=1).strip("\n")
    closing = _FENCE if _open_fence(head) else ""
    opening = _FENCE.strip() + "\n" if _open_fence(whole[: len(whole) - len(tail)]) else ""
    return f"{head.rstrip()}{closing}{_LEFT_OUT}{opening}{tail}"


def whole_content(reply: str, tags: Sequence[Tag], prompt: str) -> str:
    """Return the content of a memory with its whole text: the reply, and a sentence about the user's emotions if there
    are `tags`.

    The sentence is in the language of the prompt.
    """
    told, felt = shortened_lines(reply, WHOLE_CONTENT), _feeling(tags, prompt)
    return f"{told}\n{felt}" if felt and "\n" in told else _joined((told, felt))


def compressed(level: Literal[2, 3], trigger: str, content: str) -> tuple[str, str]:
    """Return a memory's trigger and content, compressed to a level by extraction. Neither gets longer.

    Level 2: one or two sentences of the trigger, and up to three of the content, with the sentence about emotions.
    Level 3: up to three keywords of each, joined by ", ". Text that is at level 3 already stays unchanged. At both
    levels the content keeps commands and short blocks of code (`with_code`).
    """
    trigger, content = cleaned(trigger), cleaned(content)
    core, felt = _parted(content)
    plain = prose(core)
    if level == 3:
        return _words(trigger), with_code(3, content, _words(plain))
    told = _joined((summary(plain, most=2 if felt else 3, characters=400), felt))
    return summary(trigger, most=2, characters=160), with_code(2, content, min(told, content, key=len))


def _open_fence(text: str) -> bool:
    """Return True if a block of code is open at the end of the text."""
    return len(_FENCED_LINE.findall(text)) % 2 == 1


def joined_keywords(words: Iterable[str]) -> str:
    """Return the keywords as one comma-separated text, as stored at level 3 (keywords only)."""
    return ", ".join(words)


def _chosen(text: str, most: int, characters: int, about: str) -> list[Passage]:
    """Return the most informative sentences of a text, in their order."""
    found = passages("", text)
    every = [
        _weighed(passage, first=passage is found[0]) for passage in found if boilerplate_reason(passage.text) is None
    ] or found
    favoured = {key for key, _ in candidates(about[:_SUMMARISED])}
    left = list(every)
    picked: list[Passage] = []
    room = characters
    while left and len(picked) < most:
        best = most_central(left, favoured)
        if best is None or (picked and len(best.text) > room):
            break
        left = [sentence for sentence in left if sentence is not best and sentence.text != best.text]
        picked.append(best)
        room -= len(best.text)
    return [passage for passage in every if any(passage is one for one in picked)]


def _weighed(passage: Passage, *, first: bool) -> Passage:
    felt = expresses_emotion(passage.text.casefold())
    return replace(passage, fitness=passage.fitness * (_FELT if felt else 1) * (_FIRST if first else 1))


def _joined(told: Sequence[str]) -> str:
    """Return the sentences as one text, with a space between two sentences if their script uses spaces."""
    text = ""
    for sentence in filter(None, told):
        tight = not text or (text[-1] in "。！？｡」』" and is_cjk(sentence[0]))
        text += sentence if tight else f" {sentence}"
    return text


def _feeling(tags: Sequence[Tag], prompt: str) -> str:
    if not tags:
        return ""
    if _JAPANESE.search(prompt):
        return f"ユーザーの気持ち：{'、'.join(_NAMES[tag] for tag in tags)}。"
    return f"The user felt {', '.join(tags)}."


def _parted(content: str) -> tuple[str, str]:
    """Return the content without the appended sentence about emotions, and that sentence; "" if there is none."""
    ending = _FEELING.search(content, max(0, len(content) - _LONGEST_FEELING))
    return (content[: ending.start()].rstrip(), ending.group()) if ending else (content, "")


def _words(text: str) -> str:
    """Return the best keywords of a text in the order of their first occurrence; its first words if it has no
    keywords.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    runs = list(dict.fromkeys(run[:_FALLBACK] for run in _RUN.findall(plain[:_SUMMARISED])))[:KEYWORDS_PER_TEXT]
    best = _lasting(keywords(plain[:_SUMMARISED], 2 * KEYWORDS_PER_TEXT)) or _lasting(runs)
    best.sort(key=plain.find)
    return _fitting(best, len(text)) or _fitting(runs, len(text)) or text.strip()[:_FALLBACK].strip()


def _lasting(words: Sequence[str]) -> list[str]:
    """Return up to `KEYWORDS_PER_TEXT` words whose only keyword is the word itself, so that a second compression keeps
    them.
    """
    return [word for word in words if keywords(word, 2) == (word,)][:KEYWORDS_PER_TEXT]


def _fitting(words: Sequence[str], room: int) -> str:
    for count in range(len(words), 0, -1):
        told = joined_keywords(words[:count])
        if len(told) <= room:
            return told
    return ""
