"""Detection of requests that depend on earlier ones, and completion of such requests by rules."""

import re
from collections.abc import Sequence
from typing import Final

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.writing_systems import HIRAGANA, KANJI, KATAKANA

TOPIC_WORDS: Final = 8
"""Maximum number of words of an earlier question that are added to a request. The last ones are taken."""
_FEW: Final = 3
"""Maximum number of words of a question that counts as a fragment, if it does not begin like a full question."""
_SHORT: Final = 10
"""Maximum characters of a Japanese fragment."""

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
"""Possible end of a clause. A pronoun after it may refer to a noun before it."""
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


def depends_on_earlier(request: str) -> bool:
    """Return True if the request depends on an earlier one. The rules cover English and Japanese.

    A request depends on an earlier one if it has a pronoun or demonstrative without a noun before it, if it begins as a
    continuation (and …, what about …?, では…), or if it is a fragment (the price?, 大阪は？).
    """
    text = request.strip()
    return _leans_japanese(text) if _JAPANESE.search(text) else _leans_english(text)


def self_contained(request: str, earlier: Sequence[str]) -> str:
    """Return the request with a topic added in front: that of the newest earlier question that has one.

    `earlier` has the oldest question first. The request is returned unchanged if it does not depend on an earlier one,
    if no earlier question has a topic, or if it names the whole topic already.
    """
    if not depends_on_earlier(request):
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
    """Return the topic words of a question as it spells them, in order, each once; at most the last `TOPIC_WORDS`."""
    words = dict.fromkeys(surface for _, surface in candidates(question))
    return tuple(words)[-TOPIC_WORDS:]


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
