"""Detection of requests to remember, and of references to earlier turns, in a prompt.

It implements three sections of document 001: exclusion (a prompt that asks not to be remembered), protected memories
(a request to remember), and types of relations (a reference to an earlier turn).
"""

import re
import unicodedata
from typing import Final

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.spoken_text import own_words

_HEARD: Final = 8_000
"""Maximum characters of the user's own words that are searched."""
_QUOTED = re.compile(
    r"「[^「」]{0,200}」(?=と|って)|『[^『』]{0,200}』(?=と|って|を|は)|\"[^\"]{0,200}\"|“[^“”]{0,200}”"
)
"""Quotations inside a sentence. A prompt that is in brackets as a whole is not a quotation."""

_END_JA: Final = r"[。!\n」』]|\s|$"
_ASKED_JA: Final = rf"(?:{_END_JA}|ね|よ|ください|下さい|くれ(?!て|た|なく)|ほしい|欲しい|もらえ|いただけ|頂け)"
_REMEMBER_JA = re.compile(
    rf"覚え(?:ておいて|といて)(?={_ASKED_JA}|[、,:])|覚えてて?(?={_ASKED_JA})|覚えて(?:おけ|おくように)(?!ば)"
    rf"|忘れないで(?:いて|おいて)?(?={_ASKED_JA}|[、,:])|忘れるな(?={_END_JA}|よ)|忘れちゃ(?:だめ|ダメ|駄目)"
    rf"|忘れないように(?=し|ね|{_END_JA})"
    rf"|(?:記憶し|記憶に(?:とどめ|留め|残し)|心に留め)て(?:おいて|おけ)?(?={_ASKED_JA}|[、,:])"
)

_BEGINNING: Final = (
    r"(?:^|[.!?;:,\n」][ \t]{0,8}|(?<![a-z0-9_'])(?:please|pls|and|but|so|also|always|now|just|then)[ ,]+"
    r"|(?<![a-z0-9_'])(?:you (?:should|must|need to|have to)|(?:want|need|like|asking) you to|make sure (?:to|you"
    r"|that you)"
    r"|be sure to|(?P<asks>(?:can|could|will|would) you(?: please| also)?)) +)"
)
_REMEMBER = re.compile(
    rf"{_BEGINNING}(?:remember(?=[ :]+(?:this|that|it|these|me|my|our|i|we|to|the|for|always)\b|[:,.!]|$)"
    r"|(?:do not|don't|never) (?:ever )?forget\b(?! (?:it|about it)[.!]*$)"
    r"|(?:keep|bear) (?:\w+ ){0,2}in mind\b|(?:commit|save|store|add) (?:\w+ ){1,4}(?:to|in) (?:your "
    r"|long-term )?memory\b"
    r"|make a (?:mental )?note (?:of|that)\b)(?P<rest>[^.!?\n]{0,300}\??)"
)
_TAG_QUESTION = re.compile(r", *(?:ok|okay|alright|right|please|will you|yes)\?$")

_THEN_JA: Final = r"(?:前回|前に|この前|こないだ|先日|昨日|一昨日|先週|以前|さっき|先ほど|さきほど|あの時|あのとき)"
_SAID_JA: Final = r"(?:話|言|聞|決|相談|教え|見せ|書|議論|検討|提案|説明|作|やっ|出|触れ|頼)"
_TIES: Final[tuple[tuple[LinkSort, re.Pattern[str]], ...]] = (
    (
        "contradicts",
        re.compile(
            r"やっぱ(?:り)?.{0,40}(?:やめ|なし|変え|変更|違|撤回|取り消|戻[すしそ]|ではなく|じゃなく|にする"
            r"|にしよう|にします)|前言(?:を)?撤回|撤回(?:し|する)"
            rf"|(?:{_THEN_JA}|決め(?:た|ていた)|決定).{{0,30}}(?:覆|撤回|やめ(?:る|よう|たい|ます|て)|白紙"
            rf"|取り消|間違って|違った|ではなく|じゃなく)|気が変わ|考え直し"
            r"|(?<![a-z0-9_'])(?:instead of what (?:we|i|you) |(?:i|we)(?:'ve| have)? changed (?:my|our) minds?"
            r"|on second thoughts?|scrap (?:that|the|our)"
            r"|forget what (?:i|we) (?:said|decided|agreed)|contrary to what (?:we|i|you)|(?:revers|overturn"
            r"|undo)\w* (?:our|the|that|my) (?:\w+ )?decision"
            r"|(?:i|we) no longer (?:want|need|think)|actually,? let'?s not|(?:i|we|you) (?:was"
            r"|were) wrong (?:about|when)"
            r"|against what (?:we|i) (?:said|decided|agreed))"
        ),
    ),
    (
        "derived_from",
        re.compile(
            rf"(?:{_THEN_JA}|あの(?:案|設計|議論|話|結果)|その(?:決定|議論|結論|結果|話)|話し合(?:い|った)"
            rf"|決めた|(?:もら|教え).{{0,3}}た).{{0,30}}(?:を(?:もと|元|基|ベース)に|に(?:基づ|もとづ)|を踏まえ"
            rf"|を参考に|から派生|を発展)"
            r"|(?<![a-z0-9_'])(?:based on|building on|starting from|derived from|following from"
            r"|in light of) (?:what (?:we|you|i)|our|your (?:earlier|previous|last|advice|suggestion)"
            r"|the (?:earlier|previous|last|above)|that (?:discussion|decision|idea|design)|yesterday"
            r"|last (?:time|week))"
        ),
    ),
    (
        "continues",
        re.compile(
            r"(?:の|前回|昨日|話|作業)続き(?!(?:では|じゃ)な|柄|物)|^続き(?:を|から|です|を?お願い)|引き続き"
            r"|途中(?:から|まで).{0,12}(?:再開|続け)|(?:作業|話|議論)(?:を|に)(?:再開|戻)"
            r"|(?<![a-z0-9_'])(?:pick(?:ing)? up (?:where|from)|where (?:we|i) left off|(?:continue|continuing"
            r"|resume|resuming|carry on|carrying on|go on)"
            r" (?:with |from |on )?(?:our|where|from|yesterday|last|the (?:work|discussion|conversation"
            r"|previous))|let'?s continue|back to (?:our|the) (?:\w+ )?(?:discussion|work|topic|question|task"
            r"|project))"
        ),
    ),
    (
        "references",
        re.compile(
            rf"{_THEN_JA}(?:は|も|に|の|、)?.{{0,20}}{_SAID_JA}|(?:前回|この前|先日|昨日|先週|以前|さっき"
            rf"|先ほど)の|例の(?:件|話|あれ|やつ|バグ)|覚えて(?:る|い(?:る|ます)).{{0,4}}\?"
            rf"|って(?:前に)?言って(?:た|いた)(?:よね|けど)"
            r"|(?<![a-z0-9_'])(?:as (?:we|i|you) (?:\w+ )?(?:discussed|said|mentioned|agreed|talked|decided)"
            r"|last time|(?:we|you|i) (?:talked about|discussed|mentioned|told you|decided|agreed on|said)"
            r" .{0,40}(?:before|earlier|yesterday|last|previously|the other day)|(?:earlier|previously"
            r"|yesterday|the other day|before),? (?:we|you|i) (?:said|told|mentioned|discussed|decided|talked"
            r"|agreed)"
            r"|remember (?:when|what|how|that (?:time|bug|thing))|do you remember|like (?:we|you|i) (?:said"
            r"|did) (?:before|earlier|last))"
        ),
    ),
)


def asks_to_remember(prompt: str) -> bool:
    """Return True if the user asks that the turn be remembered, in Japanese or English.

    These do not count: a question whether something is remembered, a statement that somebody remembers something, and a
    request not to remember.
    """
    text = _said(prompt)
    return _REMEMBER_JA.search(text) is not None or any(
        not match["rest"].endswith("?") or match["asks"] is not None or _TAG_QUESTION.search(match["rest"])
        for match in _REMEMBER.finditer(text)
    )


def relation_in(prompt: str) -> LinkSort | None:
    """Return the relation to an earlier turn that the words of a prompt express; None if they express none.

    If they express several, the most specific one is returned, in this order: contradicts, derived_from, continues,
    references.
    """
    text = _said(prompt)
    return next((sort for sort, words in _TIES if words.search(text)), None)


def _said(prompt: str) -> str:
    """Return the user's own words without quotations, in NFKC and case-folded."""
    plain = unicodedata.normalize("NFKC", own_words(prompt)[:_HEARD]).replace("’", "'").casefold()
    return _QUOTED.sub(" ", plain)
