"""Recognition of sentences and lines that ask for something: questions, requests and orders, English and Japanese."""

import re
from functools import cache
from typing import Final

from nemuri_domain.language.word_files import WordFile

_WORDS: Final = WordFile("language/requests", re.IGNORECASE)
_QUESTION = re.compile(r"(?:[?？][.!?！？…]*|か。?)[」』）】\"'”’)\]]*$")
_VERB = re.compile(r"[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_FINITE = re.compile(
    r"\W+(?:\w+\W+){0,3}?(?:is|are|was|were|has|had|have|will|shows?|showed|began|came|went)\b", re.IGNORECASE
)
_PLAIN_JAPANESE_ORDER = re.compile(r"[^はが。、\n]{1,60}[をにへ][^はが。、\n]{0,30}[うくぐすつぬぶむる](?:こと)?")
"""A line without topic and subject that ends with a verb in the plain form (水をやる)."""
LONGEST_ORDER: Final = 400
"""Maximum characters of a line that counts as an order."""


def is_question(sentence: str) -> bool:
    """Return True if the sentence, on one line, ends like a question."""
    return _QUESTION.search(sentence) is not None


def is_request(sentence: str) -> bool:
    """Return True if the sentence, on one line, is a question, asks for an explanation or an answer, or quotes what was
    asked, as the account of a session does.
    """
    return is_question(sentence) or _WORDS.pattern("request").match(sentence) is not None


def is_order(sentence: str) -> bool:
    """Return True if the sentence, on one line, tells somebody to do something.

    In English it begins with a verb in the imperative, after words such as "please" or "then". In Japanese it ends with
    a request form, or with an action and its object (証明書を更新, バックアップの確認).
    """
    text = sentence.strip()
    if len(text) > LONGEST_ORDER:
        return False
    if _japanese_order().search(text) or _PLAIN_JAPANESE_ORDER.fullmatch(text):
        return True
    start = _politeness().match(text).end()  # type: ignore[union-attr]  # matches any text
    verb = _VERB.match(text, start)
    if verb is None or verb.group().lower() not in _WORDS.word_set("verbs"):
        return False
    rest = text[verb.end() :]
    if not rest.strip(" .!。") or rest[:1] in ":'’":
        return False
    return not (verb.group().lower() in _WORDS.word_set("ambiguous verbs") and _FINITE.match(rest))


def asks_for_something(sentence: str) -> bool:
    """Return True if the sentence is a question, a request or an order."""
    return is_request(sentence) or is_order(sentence)


def wants_answers(text: str) -> bool:
    """Return True if the text asks to answer something that it does not contain itself ("answer these")."""
    return _WORDS.pattern("answer").search(text) is not None


def wants_each_done(text: str) -> bool:
    """Return True if the text asks to work on each of several items ("estimate each of these")."""
    return wants_answers(text) or all(_WORDS.pattern(section).search(text) for section in ("each", "work"))


def treats_as_whole(text: str) -> bool:
    """Return True if the text asks one thing about all items together, such as a comparison or a choice."""
    return not wants_answers(text) and _WORDS.pattern("whole").search(text) is not None


@cache
def _japanese_order() -> re.Pattern[str]:
    return re.compile(rf"(?:{_WORDS.alternatives('order endings')})[。．！!]?$")


@cache
def _politeness() -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{_WORDS.alternatives('polite')})[,\s]+)*", re.IGNORECASE)
