"""Requests that lean on what was said before, and how they come to stand on their own without a language model."""

import re
from collections.abc import Sequence
from typing import Final

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.search_terms import terms
from nemuri_domain.language.writing_systems import HIRAGANA, KANJI, KATAKANA

MOST_WORDS: Final = 8
"""So many words of an earlier question at most are put beside a request; the last ones, where it has more."""
_FEW: Final = 3
"""A question of so many words at most, which asks for nothing by itself, is a fragment."""
_SHORT: Final = 10
"""Characters of a Japanese fragment."""

_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
_CONTINUES = re.compile(
    r"\s*(?:(?:and|but|or|then|also|otherwise|in that case|likewise|similarly|ok(?:ay)?|so)\b[\s,]+)*"
    r"(?:and|but|or|also|otherwise|in that case|likewise|what about|how about|what else|anything else|"
    r"what next|why not|how so|how come|go on|continue|elaborate|explain (?:more|further)|tell me more|"
    r"say more|more (?:details?|examples?)|another (?:one|example)|for example\?)(?![\w'])",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|theirs|he|him|his|she|hers?|ones?)\b", re.IGNORECASE)
_EMPTY_IT = re.compile(
    r"\b(?:is|was|would|will|does|it)\s+it(?:\s+be)?\s+"
    r"(?:possible|true|necessary|safe|ok|okay|better|best|common|worth|hard|easy|legal|allowed|wise|sensible|"
    r"important|cheaper|faster|raining|late|time|that)\b|\bit(?:\s+is|['’]s)\s+(?:possible|true|better|raining)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:this|these|those)\b|\b(?:the|that) (?:same|former|latter|previous|first one|second one|last one|other one)\b"
    r"|\bthat(?=\s*[?.!,]|\s*$|['’]s\b|\s+(?:is|was|does|did|do|has|had|will|would|can|could|should|may|mean|work"
    r"|also|still|always|really|true|so|one|way|case|answer|rule|function|method|word|question)\b)"
    r"|(?<=\babout )that\b|(?<=\blike )that\b|(?<=\bdo )that\b|(?<=\bof )that\b|(?<=\bthan )that\b"
    r"|(?<=\bafter )that\b|(?<=\bbefore )that\b|(?<=\bwith )that\b",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,;:.!?]|\b(?:and|or|but|because|if)\b", re.IGNORECASE)
"""Where a clause may end: what it names is near enough for a pronoun of the next one."""
_ASKING = re.compile(
    r"(?:who|what|when|where|which|why|how)\b\W*\w+\W+\w|(?:is|are|does|do|can|may|should)\b", re.IGNORECASE
)
_EDGE = rf"(?:^|(?<=[^{HIRAGANA}])|(?<=[はがをにでとものへやば]))"
_POINTING_JA = re.compile(
    rf"{_EDGE}(?<!きの)(?<!けの)"
    r"(?:それ(?!ぞれ)|その(?!他|ほか|まま|うち)|そこ(?!そこ)|そちら|そっち|これ(?!から)|この(?!まま|ごろ|頃)|ここ|こちら"
    r"|あれ|あの|そう(?=です|する|い|な|し|だ)|そんな|こんな)"
    r"|同じ|前者|後者|彼女|彼は|彼の|彼が|彼ら|上記|上述|前述|先ほど|さっき"
)
_CONTINUES_JA = re.compile(
    r"\s*(?:では|じゃあ?|それでは|そして|また[、は]|あと|ほかに|他に|もっと|もう少し|続き|逆に|一方|例えば|たとえば|でも|しかし|さらに|次に|つまり)"
)
_FRAGMENT_JA = re.compile(
    rf"[^の？?、。]{{1,{_SHORT}}}(?:は|って|の場合は|なら)[?？]?$|[^？?。]*の場合は[?？]?$|(?:なぜ|どうして|なんで|いつ|どこ|だれ|誰)(?:ですか)?[?？。]?$"
)


def refers_back(request: str) -> bool:
    """Whether the request leans on what was said before it: by a pronoun or a demonstrative that points outside it, by
    how it begins (and …, what about …?, では…), or because it is a fragment (the price?, 大阪は？).

    Rules for English and Japanese; a pronoun counts only where no noun stands before it to which it could refer.
    """
    text = request.strip()
    return _leans_japanese(text) if _JAPANESE.search(text) else _leans_english(text)


def self_contained(request: str, earlier: Sequence[str]) -> str:
    """The request with the topic of the newest of the `earlier` questions that has one put beside it.

    `earlier` is oldest first. A request that stands on its own, or that follows nothing, comes back as it is.
    """
    if not refers_back(request):
        return request
    about = next((words for question in reversed(earlier) if (words := topic_words(question))), ())
    said = request.casefold()
    missing = [word for word in about if word.casefold() not in said]
    if not missing:
        return request
    if _JAPANESE.search(request):
        return f"{'・'.join(missing)}について：{request.strip()}"
    return f"About {', '.join(missing)}: {request.strip()}"


def topic_words(question: str) -> tuple[str, ...]:
    """What a question is about, in its own words and their order, each once; the last `MOST_WORDS` of them."""
    words = dict.fromkeys(surface for _, surface in candidates(question))
    return tuple(words)[-MOST_WORDS:]


def _leans_english(text: str) -> bool:
    if _CONTINUES.match(text) or _POINTING.search(text):
        return True
    plain = _EMPTY_IT.sub(" ", text)
    pronoun = _PRONOUN.search(plain)
    before = plain[: pronoun.start()] if pronoun else ""
    if pronoun and len(terms(before)) <= (0 if _PAUSE.search(before) else 1):
        return True
    words = text.split()
    return not terms(text) or (text.endswith("?") and len(words) <= _FEW and not _ASKING.match(text))


def _leans_japanese(text: str) -> bool:
    return bool(_POINTING_JA.search(text) or _CONTINUES_JA.match(text) or _FRAGMENT_JA.match(text))
