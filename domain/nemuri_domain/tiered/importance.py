"""Importance of an experience by rules, and detection of its cues in text (document 004 §4.2.2, §4.5.3)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_contracts.tiered import Cues, Experienced
from nemuri_domain.affective.turn_reader import emotion_strength
from nemuri_domain.language.tokenization import content_terms

BASE_IMPORTANCE: Final[Mapping[Experienced, float]] = {
    "conversation": 0.5,
    "action": 0.3,
    "observation": 0.2,
    "reflection": 0.6,
}
STRONG_EMOTION: Final = 0.5
"""Strength of an emotion, 0 to 1, above which a conversation is more important."""
_READ: Final = 4_000
"""Number of characters at the beginning of an experience in which cues are detected."""


def _words(japanese: str, english: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{japanese})|(?<![a-z0-9_'])(?:{english})(?![a-z0-9_])")


_REQUEST: Final = _words(
    r"[てで](?:くださ|下さ|くれ(?!た|て)|ほしい|欲しい|もらえ|もらいたい|いただけ|頂け)"
    r"|お願い(?:し|だ|、|。|!|」|$)|頼(?:む|みたい|みます|まれ|んだ)|手伝って|手を貸して|助けて|依頼",
    r"please|(?:can|could|would|will) you|help me|(?:i|we) need (?:you|your|someone|some help)"
    r"|(?:asked|asks|asking|begs?|begged|wants?|wanted) (?:\w+ ){0,3}(?:to|for)|request(?:s|ed)?|do me a favou?r",
)
_PROPOSAL: Final = _words(
    r"(?:よう|[おこごそとのほぼもろ]う)(?=よ|か|ぜ|ね|[。!、」]|と(?:提案|誘|言|話)|って|$)(?<!どう)(?<!そう)|ましょう|ませんか"
    r"|ない(?=[?？]|か[。?？])|提案|どう(?:かな|だろう|でしょう|です[か?])|一緒に.{0,20}ない[?？か]",
    r"let's|let us|shall we|how about|what about|why (?:don't|not) (?:we|you)|(?:i|we) could|suggest(?:s|ed|ion)?"
    r"|propos(?:e|es|ed|al)|(?:want|care|like) to (?:join|team up|trade)|offer(?:s|ed) (?:to|me|us)|join (?:me|us)",
)
_FAILURE: Final = _words(
    r"失敗|(?:でき|出来|作れ|掘れ|届か|見つから|見つけられ|間に合わ|足り|進め|開か|拾え|倒せ|手に入ら)な(?:い|かった|くて)"
    r"|不足|壊れ(?:た|て)|エラー|うまくいかな|失っ(?:た|て)|無駄に|期待(?:した|と).{0,10}(?:違|得られ)",
    r"fail(?:s|ed|ure|ing)?|could ?n[o']t|can ?not|can't|unable|did ?n[o']t (?:work|succeed|find|get|reach)"
    r"|not enough|lack(?:s|ed|ing)?|broke|broken|error|timed out|in vain|without success|unsuccessful(?:ly)?"
    r"|impossible|gave up",
)
_NEW_AGENT: Final = _words(
    r"(?:初めて|はじめて)(?:会|見(?:る|た|かけ)|出会)|初対面|はじめまして|初めまして|新入り"
    r"|(?:新しい|見知らぬ|知らない)(?:人|エージェント|仲間|住人|プレイヤー|村人|者|顔)",
    r"new (?:agent|player|neighbou?r|villager|face|arrival|person|member|resident)|strangers?|newcomers?"
    r"|(?:met|meets?|meeting|saw|sees?|seen) (?:\w+ ){1,3}for the first time|first time (?:i|we) (?:saw|see|met|meet)"
    r"|unknown (?:agent|player|person)|nice to meet you|never (?:seen|met) (?:\w+ ){1,2}before",
)
_THREAT: Final = _words(
    r"危険|危な|脅威|敵|襲(?:わ|い|っ|う)|攻撃|ゾンビ|スケルトン|クリーパー|毒蜘蛛|魔女|エンダーマン|溶岩|マグマ|火事|炎上"
    r"|爆発|崩落|溺れ|逃げ(?:ろ|て|る|た)|殺(?:さ|す|し)|死にそう|瀕死",
    r"danger(?:ous)?|threat(?:s|en\w*)?|enem(?:y|ies)|hostile|attack(?:s|ed|ing)?|zombies?|skeletons?|creepers?|lava"
    r"|explo(?:de\w*|sion|ding)|on fire|drown(?:s|ed|ing)?|collaps(?:e|ed|ing)|run away|flee(?:s|ing)?|fled"
    r"|ambush\w*|kill(?:s|ed|ing)?|dying|near death",
)


def detect_cues(text: str, goals: Iterable[str] = ()) -> Cues:
    """Return the cues that the words of a text contain, in Japanese and English. Linear time.

    `goal_related` is True if the text shares a term with one of `goals`. Only words are compared, not their meaning, so
    pass cues explicitly if they are known.
    """
    told = unicodedata.normalize("NFKC", text[:_READ]).casefold().replace("’", "'")
    terms = content_terms(told) if goals else set[str]()
    return Cues(
        request=bool(_REQUEST.search(told)),
        proposal=bool(_PROPOSAL.search(told)),
        emotion=emotion_strength(text[:_READ]),
        goal_related=any(terms & content_terms(each.casefold()) for each in goals),
        failure=bool(_FAILURE.search(told)),
        new_agent=bool(_NEW_AGENT.search(told)),
        threat=bool(_THREAT.search(told)),
    )


def importance(type: Experienced, cues: Cues) -> float:  # noqa: A002 - the document's own name
    """Return the importance of an experience, 0 to 1: the base of its type plus a bonus for its cues (document 004
    §4.5.3).
    """
    score = BASE_IMPORTANCE[type]
    match type:
        case "conversation":
            score += 0.2 * (cues.request or cues.proposal) + 0.1 * (cues.emotion > STRONG_EMOTION)
        case "action":
            score += 0.3 * cues.goal_related + 0.2 * cues.failure
        case "observation":
            score += 0.3 * cues.new_agent + 0.4 * cues.threat
        case "reflection":
            pass
    return round(min(score, 1.0), 6)
