"""Detection of texts without content: texts without words, and texts of set phrases only."""

import re
import unicodedata
from typing import Final

from nemuri_domain.language.sentences import sentences

WORDLESS: Final = "it has no words"
SET_PHRASE: Final = "it says nothing but set phrases"

_ENGLISH: Final = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|dear)(?: (?:there|all|everyone|sir|madam|team|user))*",
    (
        r"(?:ok|okay|sure|certainly|of course|absolutely|yes|no|yep|right|alright|understood|got it|noted|done|great"
        r"|fine|very well|sounds good|will do|no problem|you(?:'re| are) welcome|my pleasure|perfect|exactly|agreed)"
    ),
    r"(?:many |thank you |)thanks?(?: you)?(?: (?:so|very) much| a lot)?(?: for [\w' ]{1,60})?",
    r"(?:kind |best |warm )?regards|sincerely|cheers|have a (?:nice|good|great) [a-z]+",
    (
        r"(?:as|being) an? (?:\w+ )?(?:ai|artificial intelligence|large language model|language model|assistant)"
        r"(?:[ -](?:language )?(?:model|assistant))?(?:, ?i (?:do not|don't|can ?not|can't|am|have no)\b.*)?"
    ),
    r"i(?:'m| am) (?:just |only )?an? (?:ai|language model|virtual assistant|ai assistant|ai language model)",
    r"(?:(?:i'm|i am|we're|we are) )?(?:very |so |truly )?sorry(?:,? but)?(?: for [\w' ]{1,60})?",
    r"(?:i )?apologi[sz]e(?: for [\w' ]{1,60})?|my apologies|(?:please )?excuse me",
    (
        r"(?:(?:i'm|i am) )?(?:sorry|afraid|unfortunately)?,? ?(?:but )?i (?:could not|couldn't|can ?not|can't|did not"
        r"|didn't|was unable to|am (?:unable|not able) to|do not|don't) (?:find|locate|see|have|know|answer|help|assist"
        r"|provide) ?(?:you )?(?:with )?(?:any(?:thing)?|that|this|it|enough|further|relevant|more|the)?"
        r"(?: (?:relevant|useful|information|data|details|results?|answers?|question|request|further|more|anything|this"
        r"|about|on|in|for|regarding|to|the|that|sources?|memories|given|provided|available|materials?|topic|here|and))*"
    ),
    (
        r"(?:there (?:is|was) )?(?:no|nothing)(?: relevant| useful| further)?(?: information| answer| data| results?)?"
        r"(?: (?:was|is|were|has been|could be) (?:found|available|known|given|learned|learnt))"
        r"(?: (?:on|about|in|for) (?:this|that|it|the sources|this topic|this question))?"
    ),
    r"nothing (?:to|was|new|was to be) (?:learn|learned|remember|report|learn here)|not applicable|none|n/?a|unknown",
    (
        r"(?:i hope (?:this|that) (?:helps|is helpful)|let me know if .{1,80}|feel free to .{1,80}|how (?:can|may) i "
        r"(?:help|assist).{0,40}|is there anything else .{1,60}|please let me know.{0,80}|here (?:is|are)"
        r" (?:the|your|my|an) (?:answer|answers|result|results|summary|response))"
    ),
    (
        r"no language model is connected,? (?:so these are quotations from memories and details"
        r"|and nothing relevant to this was found in memories and details"
        r"|and the memories and the passages of the documents that were read hold nothing with the words of"
        r" this question)"
    ),
    r"nothing was found on this",
)
_JAPANESE: Final = (
    r"(?:こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|お世話になっております|お疲れ様です|よろしくお願い(?:いたし|し)ます)",
    (
        r"(?:はい|いいえ|ええ|了解(?:です|しました|いたしました|致しました)?|承知(?:しました|いたしました|致しました|です)?"
        r"|かしこまりました|わかりました|分かりました|もちろん(?:です)?|なるほど|そうです(?:か|ね)?|大丈夫です|結構です|問題ありません)"
    ),
    r"(?:どうも|誠に|本当に)?(?:ありがとう(?:ございます|ございました)?|有難うございます|感謝(?:します|いたします))",
    r"(?:大変|誠に|本当に)?(?:申し訳(?:ありません|ございません|ない)(?:が|でした)?|すみません(?:が)?|ごめんなさい|失礼(?:しました|いたしました))",
    r"(?:私は)?(?:ai|人工知能|(?:大規模)?言語モデル)(?:アシスタント)?(?:として|なので|ですので|であるため)?(?:です)?",
    (
        r"(?:お役に立て(?:れば|ず)[^。]{0,20}|ご不明な点[^。]{0,40}|他に(?:何か)?[^。]{0,20}(?:ありますか|ございますか|お知らせください)"
        r"|何か(?:お手伝い|ご用)[^。]{0,20}|以上です|以下の?(?:とおり|通り)です)"
    ),
    (
        r"(?:これに関する|この質問に関する|関連する|関係のある|該当する|有用な)?(?:記述|情報|回答|答え|資料|データ|結果)?[はがも]?"
        r"(?:見つかりません(?:でした)?|見つけられません(?:でした)?|見当たりません(?:でした)?|ありません(?:でした)?|わかりません|分かりません"
        r"|お答えできません)"
    ),
    r"(?:特に)?(?:学ぶ|学べる|覚える)?(?:べき)?(?:こと|もの)?は?(?:特に)?(?:なし|ありません|ない|無し)|該当なし|不明(?:です)?",
    r"言語モデルが接続されていないため、記憶と資料から引用します",
    r"言語モデルが接続されておらず、記憶と資料に関係のある記述は見つかりませんでした",
    r"言語モデルが接続されておらず、記憶と、資料のうち読んだ抜粋には、この質問の語を含む記述がありませんでした",
)
_PHRASE = re.compile("|".join(f"(?:{each})" for each in (*_ENGLISH, *_JAPANESE)))
_SPLIT = re.compile(r"[,、，;；]|\band\b|\bbut\b|[-–—:：]\s")
_EDGES: Final = " \t.,;:!?…。、，！？：；\"'“”‘’「」『』()（）[]*-–—~〜"
_MAX_PHRASE_CHARACTERS: Final = 300
"""Maximum characters of a sentence that may be a set phrase."""


def boilerplate_reason(text: str) -> str | None:
    """Return the reason why a text is not worth keeping; None if it is.

    A text is not worth keeping if it has no letter or digit, or if every sentence is a set phrase in English or
    Japanese.
    """
    if is_wordless(text):
        return WORDLESS
    told = [each for each in sentences(unicodedata.normalize("NFKC", text).replace("’", "'")) if not is_wordless(each)]
    return SET_PHRASE if all(map(_is_phrase, told)) else None


def is_wordless(text: str) -> bool:
    """Return True if the text has neither a letter nor a digit."""
    return not any(each.isalnum() for each in text)


def _is_phrase(sentence: str) -> bool:
    folded = " ".join(sentence.casefold().split()).strip(_EDGES)
    if len(folded) > _MAX_PHRASE_CHARACTERS:
        return False
    if _PHRASE.fullmatch(folded):
        return True
    parts = [part for each in _SPLIT.split(folded) if (part := each.strip(_EDGES))]
    return len(parts) > 1 and all(_PHRASE.fullmatch(part) for part in parts)
