"""Patterns of requests about documents as a whole, English and Japanese."""

import re
from typing import Final

from nemuri_contracts.tasks import OverviewKind

_DOCUMENT = (
    r"(?:documents?|reports?|texts?|books?|papers?|files?|contracts?|agreements?|minutes|articles?|manuals?"
    r"|transcripts?|stor(?:y|ies)|novels?|stud(?:y|ies)|proposals?|offers?|logs?|memos?|thes[ei]s|materials?|pdfs?"
    r"|presentations?|conversations?|polic(?:y|ies)|handbooks?|specifications?|specs?|guides?|letters?|interviews?"
    r"|attachments?|sources?|versions?|drafts?|essays?|emails?|notes)"
)
_DETERMINED = rf"(?:the|this|these|that|my|our|your|both|all|all the|an?)\s+(?:\w+[\s-]){{0,3}}?{_DOCUMENT}"
_SUMMARY_NOUN = (
    r"(?:summar(?:y|ies)|overview|synopsis|digest|abstract|recap|rundown|run-down|gist|outline|essence|highlights"
    r"|takeaways?|take-aways?|bottom line|(?:main|key|most important|central|principal|essential|core|major) "
    r"(?:points?|ideas?|findings?|themes?|topics?|messages?|results?|arguments?|conclusions?|takeaways?|facts|issues"
    r"|aspects|statements|insights|lessons|contents?|parts))"
)
_SAID = (
    r"(?:mention(?:s|ed)?|nam(?:e|es|ed)|list(?:s|ed)?|describ(?:e|es|ed)|discuss(?:es|ed)?|cit(?:e|es|ed)"
    r"|propos(?:e|es|ed)|identif(?:y|ies|ied)|cover(?:s|ed)?|rais(?:e|es|ed)|recommend(?:s|ed)?|report(?:s|ed)?"
    r"|contain(?:s|ed)?|record(?:s|ed)?|introduc(?:e|es|ed)|refer(?:s|red)? to|appear(?:s|ed)?|occur(?:s|red)?)"
)
_START = (
    r"(?:^|[,;:]\s*|\b(?:and|then|please|kindly|let's)\s+|\b(?:can|could|would|will) you\s+|\bi(?:'d| would) like to\s+"
    r"|\b(?:like|want|need|ask) you to\s+|\byour (?:task|job) is to\s+)"
    r"(?:(?:please|briefly|quickly|shortly|first|then|just|kindly|now)\s+)*"
)


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)


ASKING: Final = re.compile(
    r"(?:who|whose|when|where|why|how|which|what|do|does|did|is|are|was|were|has|have|had|should)\b(?! you\b)",
    re.IGNORECASE,
)
"""Beginning of a question, after which a verb such as "summarise" is no request ("who will summarise it?")."""

ENGLISH: Final[dict[OverviewKind, re.Pattern[str]]] = {
    "summary": _compiled(
        rf"\bwhat (?:are|were|is|was) (?:the |its |their |your )?(?:\w+ ){{0,2}}?{_SUMMARY_NOUN}\b",
        rf"\bwhat(?:'s| is| are) {_DETERMINED} (?:all )?about\b",
        rf"\bwhat (?:does|do|did) {_DETERMINED} (?:say|contain|cover|describe|deal with|discuss|tell us)\s*[?.!]*$",
        rf"\bwhat(?:'s| is) (?:in|inside) {_DETERMINED}\s*[?.!]*$",
        r"\btl;?dr\b",
    ),
    "comparison": _compiled(
        r"\bhow (?:do|does|did) .{1,120}\b(?:differ|compare)\b",
        r"\bwhat (?:do|does|did) .{1,120} have in common\b",
        rf"\bwhich of (?:the|these|both)\b.{{0,30}}\b{_DOCUMENT}\b",
        rf"\bwhat (?:are|is|were) the (?:\w+ )?(?:differences?|similarit(?:y|ies)) between\b.{{0,60}}\b{_DOCUMENT}\b",
        r"\bwhat (?:are|were) the (?:\w+ )?(?:differences|similarities)\b",
    ),
    "count": _compiled(
        r"\bhow many times\b",
        rf"\bhow often (?:is|are|was|were|does|do|did)\b.{{1,80}}\b{_SAID}\b",
        rf"\bhow many .{{1,80}}\b(?:are|were|is|have been|has been) (?:\w+ )?(?:there\b|{_SAID}\b|in {_DETERMINED})",
        r"\bhow many .{1,80}\b(?:are|were) there\b",
        rf"\bhow many .{{1,80}}\b(?:does|do|did) (?:it|they|{_DETERMINED}) {_SAID}\b",
        r"\bhow many (?:\w+ ){1,4}(?:happened|occurred|took place)\b",
        rf"\bnumber of .{{1,80}}\b(?:{_SAID}|in {_DETERMINED})",
    ),
    "list": _compiled(
        r"\b(?:what|which|who) (?:are|were) all\b",
        rf"\b(?:what|which) (?:\w+ ){{0,3}}\w+s (?:are|were|have been) (?:\w+ )?{_SAID}\b",
        rf"\b(?:what|which) (?:\w+ ){{0,3}}\w+s (?:does|do|did) (?:it|they|{_DETERMINED}) {_SAID}\b",
    ),
}
"""Pattern of the questions of each kind."""

ENGLISH_IMPERATIVES: Final[dict[OverviewKind, re.Pattern[str]]] = {
    "summary": _compiled(
        rf"{_START}(?:summari[sz]e|sum (?:up|it up|this up|them up)|recap|outline|condense|brief (?:me|us))\b",
        rf"^(?:(?:an?|the|your|short|brief|quick|concise|executive|one-page|\w+-\w+)\s+)*{_SUMMARY_NOUN}"
        r"(?:\s+(?:of|on|about|for|in|please)\b|,|\s*[.!?]*$)",
        rf"\b(?:give|write|provide|make|create|produce|prepare|draft|need|want|show|get|have|send|offer|like|list|name"
        rf"|explain|describe|tell)\b.{{0,40}}\b{_SUMMARY_NOUN}\b",
        rf"{_START}(?:explain|describe|present|review|analy[sz]e|assess|critique|evaluate|go through|read)\b"
        rf".{{0,20}}\b(?:whole|entire|full|complete)\b.{{0,20}}\b{_DOCUMENT}\b",
        rf"{_START}(?:review|analy[sz]e|assess|critique|evaluate|explain|describe)\s+{_DETERMINED}\s*[.!?]*$",
    ),
    "comparison": _compiled(
        rf"{_START}(?:compare|contrast)\b",
        r"^(?:(?:an?|the|short|brief|detailed)\s+)*comparison (?:of|between)\b",
        r"\b(?:give|write|make|draw|prepare|need|want|create)\b.{0,30}\bcomparison\b",
        r"\b(?:list|explain|describe|show|name|give|tell|point out|find)\b.{0,30}"
        r"\b(?:differences?|similarit(?:y|ies)|commonalit(?:y|ies)) (?:between|among|of)\b",
    ),
    "count": _compiled(rf"{_START}count (?:the|all|every|each|how)\b"),
    "list": _compiled(
        rf"{_START}(?:list|enumerate|itemi[sz]e|catalogu?e)\b(?! (?:price|box|view))",
        rf"{_START}(?:name|give|show|find|extract|collect|identify|mention|get|tell|pull out|write down|point out"
        r"|return|quote|state|note)\b.{0,24}\b(?:all(?! about)|every|each of|a (?:complete |full )?list of)\b",
        r"^(?:(?:an?|the|complete|full|short)\s+)*list of\b",
        rf"\ball (?:of )?(?:the )?(?:\w+ )?\w+s (?:that |which )?(?:are |were )?{_SAID}\b",
        r"\bevery (?:mention|occurrence|instance|reference)\b",
    ),
}
"""Pattern of the orders of each kind. They do not count in a sentence that begins like a question (`ASKING`)."""

WHOLE_PARTS: Final = re.compile(
    r"\b(?:each|every|all|per|by|of all)\s+(?:the\s+|of the\s+)?"
    r"(?:sections?|chapters?|pages?|parts?|paragraphs?|clauses?)"
    r"|\bthis\s+(?:section|chapter|page|passage|part)\b"
    r"|(?:各|全|すべての|全ての|それぞれの)(?:章|節|条項|条|項目|項|部|ページ|頁|段落|セクション|部分)"
    r"|(?:章|節|ページ|段落|セクション|部分)(?:ごと|毎)",
    re.IGNORECASE,
)
"""Words for all parts of a document, which is the whole."""

ENGLISH_PART: Final = _compiled(
    r"\b(?:sub)?(?:section|chapter|page|paragraph|clause|appendix|annex|slide|passage)\b",
    r"\b(?:section|chapter|page|paragraph|clause|article|part|table|figure|line|row|column|item|slide|step)s?\s+"
    r"(?:no\.?\s*)?(?:[0-9]|[ivx]+\b|one\b|two\b|three\b|four\b|five\b)",
    r"\b(?:the|its) (?:introduction|conclusion|preface|foreword|executive summary|first|last|second|third) "
    r"(?:part|half|paragraph|sentence|third|quarter)\b",
    r"\b(?:summari[sz]e|in|from|of|sum up|outline|compare|describe|explain) (?:the|its) "
    r"(?:introduction|conclusion|preface|foreword)\b",
    r"§",
)
"""Words for one part of a document."""

JAPANESE_PART: Final = _compiled(
    r"第[0-9０-９一二三四五六七八九十百]+(?:章|節|条|項|部|編)",
    r"[0-9０-９一二三四五六七八九十]+(?:章|節|頁|ページ目?|段落|条|項|枚目|行目)",
    r"(?:の|に関する|についての|という|述べた)(?:章|節|セクション|段落|箇所|部分|条項|ページ|頁|くだり)",
    r"(?:冒頭|前半|後半|序文|序章|前書き|あとがき|付録|別紙|別表|結論)(?:の?部分)?(?:を|だけ|のみ)",
    r"[表図][0-9０-９]",
)

_JA_DOCUMENT = (
    r"(?:資料|文書|文章|報告書|レポート|論文|本文|記事|契約書|議事録|仕様書|提案書|手引き?|マニュアル|ファイル|本|書類|添付|会話|規程|規則"
    r"|原稿|ドキュメント|テキスト|見積書|計画書)"
)
_JA_END = r"(?:$|[。．！!？?」])"
_JA_PLEASE = rf"(?:ください|下さい|くれ|ほしい|欲しい|もらえ|もらい|いただけ|いただき|頂け|頂き|みて|{_JA_END})"
_JA_TELL = (
    r"(?:教え|示|述べ|説明|作成|作っ|書い|書き|お願い|まとめ|整理|ください|下さい|くだ|挙げ|知りた|解説|紹介|報告|出し)"
)
_JA_SAID = r"(?:挙げ|述べ|書か|記載|記され|言及|指摘|紹介|列挙|登場|取り上げ|出て|含ま|報告)"

JAPANESE: Final[dict[OverviewKind, re.Pattern[str]]] = {
    "summary": _compiled(
        rf"(?:要約|総括)(?:を)?(?:して{_JA_PLEASE}|せよ|しなさい|しろ|を?お願い|願い|ください|下さい|作成|作って|書いて"
        rf"|してもらえ|できますか|が欲しい|がほしい|{_JA_END})",
        rf"まとめて{_JA_PLEASE}|まとめ(?:よ|なさい|を(?:お願い|作|書))|まとめて(?:教え|説明し|示し|報告し)",
        rf"(?:概要|要点|要旨|概略|あらすじ|大要|骨子|サマリー?|趣旨|全体像|ハイライト|ダイジェスト|主な内容|内容全体|全体の内容|全体の流れ)"
        rf"(?:と\w{{1,6}})?(?:{_JA_TELL}|(?:を|は|について|だけ)(?:[^。？?]{{0,16}}?(?:{_JA_TELL}|何)|{_JA_END})|{_JA_END})",
        rf"(?:主な|主要な|重要な|大事な)(?:ポイント|内容|論点|結論|点|主張|結果|要素|話題|テーマ|メッセージ|成果|事項)"
        rf"(?:を|は|について)[^。？?]{{0,16}}?(?:{_JA_TELL}|何|{_JA_END})",
        rf"(?:全体|全文|{_JA_DOCUMENT}全体)(?:を|について)[^。？?]{{0,20}}{_JA_TELL}",
        r"(?:かいつまんで|ざっくり|大まかに|おおまかに|一言で)[^。]{0,12}(?:説明|教え|まとめ|述べ|言う|いう|言え|いえ)",
        rf"{_JA_DOCUMENT}(?:は|には|で|では|の内容は)?(?:全体として|一体)?、?"
        r"(?:何について|どんなこと|どのようなこと|どんな内容|どのような内容|どういう内容|何が書|何を述べ|何を言|何を主張)",
    ),
    "comparison": _compiled(
        rf"(?:比較|対比)(?:して{_JA_PLEASE}|せよ|しなさい|を(?:お願い|行って|して)|検討して|表を|{_JA_END})",
        rf"比べて{_JA_PLEASE}",
        rf"(?:違い|相違点|共通点|差異|異同)(?:と(?:違い|相違点|共通点))?(?:を|について)[^。？?]{{0,16}}{_JA_TELL}",
        rf"(?:相違点|共通点|異同)(?:は|{_JA_END})",
        r"どう(?:違い|違う|違っ|異な)",
    ),
    "count": _compiled(
        r"(?:いくつ|何(?:件|回|人|個|箇所|か所|カ所|ヶ所|社|種類|名|例|点|項目|通り))[^。？?]{0,12}"
        rf"(?:あり|ある|あっ|発生|起き|起こ|{_JA_SAID})",
        r"(?:数|件数|回数|人数|個数)を(?:数え|カウント|集計)|を?(?:数えて|カウントして|集計して)",
    ),
    "list": _compiled(
        r"(?:すべて|全て|全部|ぜんぶ|残らず|漏れなく|もれなく|余さず|一通り)[^。？?]{0,40}"
        r"(?:挙げ|あげ|列挙|教え|示し|示せ|出し|抽出|書き出|リストアップ|述べ|抜き出|洗い出|並べ|答え)",
        r"一覧(?:表)?(?:を|に|で)[^。？?]{0,12}(?:作|出し|示|見せ|教え|まとめ|お願い|ください|して|くだ|挙げ|表示)"
        rf"|一覧(?:化|{_JA_END})",
        r"リスト(?:アップ|化|にして|を作|で出|で示)",
        rf"列挙(?:して|せよ|しなさい|{_JA_END})|(?:洗い出|抜き出|書き出)(?:して|せ)",
        rf"を[^、。]{{0,8}}(?:挙げて|あげて){_JA_PLEASE}",
        rf"(?:どのような|どんな|どの)[^。？?]{{1,20}}[がを]{_JA_SAID}",
    ),
}
"""Pattern of the requests of each kind."""

_WORDS: Final = """
document report text book paper file contract agreement article manual transcript story study proposal material pdf
presentation conversation attachment source summary summarise summarize overview synopsis digest abstract recap gist
outline essence highlight takeaway condense main key point idea finding theme topic message argument conclusion brief
short concise sum compare contrast comparison difference similarity list enumerate name mention mentioned named listed
described occur occurrence count number whole entire full complete content contain cover total sentence word bullet
many attached attach
"""
ENGLISH_DOCUMENT_WORDS: Final = tuple(_WORDS.split())
"""Words of requests about documents. They do not name a subject."""

JAPANESE_DOCUMENT_WORDS: Final = re.compile(
    "資料|文書|文章|報告書|報告|書類|レポート|論文|本文|記事|契約書|議事録|添付|ファイル|要約して|要約|まとめて|まとめ|概要|要点|要旨"
    "|概略|全体|全文|内容|主な|ポイント|比較して|比較|比べて|違い|相違点|共通点|一覧|列挙して|列挙|挙げて|すべて|全て|全部|リストアップ|リスト"
    "|数えて|いくつ|何[件回個人社]|簡潔に?|簡単に?|短く|教えて|説明して|書かれて|述べて|ください|下さい|お願い(?:します)?|[0-9０-９一二三四五]+[行つ字点]"
)
"""The same in Japanese."""
