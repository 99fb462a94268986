"""References of a request to something that did not come with it: an attachment, a text above or below, a blank.

The rules find only what is certain; in doubt nothing is missing. A question about attachments in general ("How do I
open an attached file?"), a pasted text, code and a template with placeholders are no missing references.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from nemuri_domain.language.writing_systems import is_cjk

PASTED: Final = 120
"""Characters beside the sentence that refers from which on the request is taken to hold the text itself."""

LONGEST_GREETING: Final = 16
"""Maximum characters before a reference to something above it that are no text to refer to. Kana and kanji count
twice.
"""

_DOCUMENT: Final = (
    r"(?:files?|documents?|docs?|reports?|pdfs?|spreadsheets?|images?|screenshots?|photos?|pictures?|logs?|letters?|"
    r"contracts?|invoices?|lists?|tables?|csv|drafts?|slides?|presentations?|papers?|articles?|texts?|transcripts?|"
    r"e-?mails?|minutes|notes|code|scripts?|source|data|dataset|memo|manual|agreement|résumé|resume|cv|essay|proposal)"
)
_ATTACHED = re.compile(
    rf"\b(?:the|this|that|these|those|my|our)\s+(?:attached|enclosed|uploaded)\s+(?:[\w'-]+\s+){{0,3}}?{_DOCUMENT}\b"
    rf"|\b(?:the|this|that|my|our)\s+{_DOCUMENT}\s+(?:that\s+)?(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+)?"
    r"(?:attached|enclosed|uploaded)\b"
    r"|\b(?:see|in|from|per)\s+(?:the\s+|my\s+|our\s+)?(?:attachment|enclosure)\b(?!\s+(?:of|to)\b)"
    rf"|^\W*(?:please\s+)?(?:summari[sz]e|review|read|check|translate|proofread|see)\s+(?:the\s+)?attached"
    rf"(?:\s+{_DOCUMENT})?\s*(?:[.!?]|$)"
    rf"|\battached\s+(?:is|are|you(?:'ll|\s+will)\s+find)\s+(?:the|my|our|an?)\s+(?:[\w'-]+\s+){{0,3}}?{_DOCUMENT}\b"
    rf"|\bI(?:'ve|\s+have)?\s+(?:attached|uploaded|enclosed)\s+(?:the|my|our|an?|this)\s+(?:[\w'-]+\s+){{0,3}}?"
    rf"{_DOCUMENT}\b(?!\s+to\b)",
    re.IGNORECASE,
)
_DOCUMENT_JA: Final = (
    "(?:ファイル|資料|文書|書類|画像|写真|レポート|報告書|契約書|請求書|議事録|データ|表|リスト|一覧|原稿|論文|記事|メモ|"
    "メール|スクリーンショット|スライド|コード|ログ|PDF|ＰＤＦ|CSV|エクセル|Excel|Word|マニュアル|仕様書|見積書|文章|テキスト)"
)
_WORK_JA: Final = (
    "(?:要約|まとめ|確認|読|見て|翻訳|訳|チェック|レビュー|校正|分析|説明|添削|修正|直し|参照|もとに|基に|ついて|教え)"
)
_ATTACHED_JA = re.compile(
    rf"添付の{_DOCUMENT_JA}"
    rf"|添付(?:した|しました|いたしました|してある|されている){_DOCUMENT_JA}"
    rf"|{_DOCUMENT_JA}を添付(?:しました|いたしました|します|しますので)"
    rf"|添付{_DOCUMENT_JA}(?:を|の内容を|の中身を|から)(?:[^。？?\n]{{0,12}}?){_WORK_JA}"
)
_ABOVE = re.compile(
    r"\b(?:the|this|these)\s+(?:text|list|passage|paragraph|code|table|example|message|e-?mail|error|data|article|"
    r"questions?|snippet|output|log)\s+above\b"
    r"|\bthe\s+above\s+(?:text|list|passage|paragraph|code|table|example|message|e-?mail|error|data|article|questions?|"
    r"snippet|output|log)\b"
    r"|\b(?:summari[sz]e|translate|explain|fix|review|rewrite|proofread|shorten)\s+the\s+above\s*(?:[.!?]|$)"
    r"|\b(?:same\s+)?as\s+(?:described\s+|listed\s+|shown\s+)?above\s*(?:[.!?]|$)",
    re.IGNORECASE,
)
_ABOVE_JA = re.compile(
    r"(?:上記の|上記を|上記について|上の(?:文章|文|リスト|表|コード|内容|記事|メール|例)|前述の|先ほどの(?:文章|内容|リスト|表|コード))"
)
_BELOW = re.compile(
    rf"^\W*(?:[\w',-]+\s+){{0,10}}?(?:the\s+following|this|the)\s+(?:[\w'-]+\s+){{0,3}}?(?:{_DOCUMENT}|passage|"
    r"paragraphs?|sentences?|questions?|message|snippet|function|error)?\s*:\s*$",
    re.IGNORECASE,
)
_BELOW_JA = re.compile(
    r"^[^\n]{0,60}?(?:以下の|次の|下記の)[^\n]{1,30}(?:：|:)\s*$"
    r"|^(?:以下|次|下記)の(?:文章|文|文書|コード|テキスト|メール|記事|リスト|表)を[^\n。]{0,20}[。]?\s*$"
)
_BARE = re.compile(
    r"^\W*(?:(?:please|can you|could you|now|and|then)\s+)*(?:summari[sz]e|translate|shorten|rewrite|explain|fix|"
    r"proofread|continue|finish|expand|rephrase|correct|improve)\s+(?:it|this|that|these|those)"
    r"(?:\s+(?:please|again|(?:in|into|to)\s+\w+))*\W*$",
    re.IGNORECASE,
)
_BARE_JA = re.compile(
    r"^(?:それ|これ|あれ|この文章|その文章|この文|この内容|その内容)を?(?:[^\s。、]{1,6}[にで語])?"
    r"(?:要約|翻訳|訳|短く|書き直|説明|直|修正|添削|校正|続け)[^\s。、]{0,12}[。！？!?]?$"
)
_NAMES: Final = (
    r"(?:your\s+|the\s+|my\s+|our\s+|insert\s+|enter\s+|customer\s+|company\s+|product\s+|project\s+|client\s+|user\s+|"
    r"first\s+|last\s+)*(?:name|company|customer|client|product|project|date|city|country|topic|subject|title|address|"
    r"e-?mail|amount|price|number|department|person|place|term|word)(?:\s+(?:here|name))?"
)
_JOINED_NAMES: Final = _NAMES.replace(r"\s", "[ _]")
_BLANK = re.compile(
    rf"<(?P<angle>{_NAMES})>(?!\s*</)|\[(?P<square>{_NAMES})\](?!\()"
    rf"|\{{\{{?\s*(?P<curly>{_JOINED_NAMES})\s*\}}?\}}"
    r"|(?P<circles>[〇○◯]{2,4})(?=さん|様|社|株式会社|とは|の|について|に|を|は|が)"
    r"|(?P<line>(?<![_\w])_{3,}(?![_\w]))",
    re.IGNORECASE,
)
_ABOUT_BLANKS = re.compile(
    r"placeholders?|templates?|fill\s+(?:in|out)|variables?|html|xml|regex|syntax|generics?|markdown|jinja|blanks?|"
    r"テンプレート|雛形|ひな形|プレースホルダ|穴埋め|空欄|変数|伏せ字|例文|文例|書式|構文|など|例えば|```|=>|</|;\s*$|\bdef\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"^\W*(?:how\s+(?:do|can|to|does|should)|what\s+happens|why\s+(?:do|does|is|are)|when\s+(?:do|does|should))\b",
    re.IGNORECASE,
)
_GENERAL_JA = re.compile(r"方法|やり方|仕方|手順|開き方|送り方|場合|とき|際に|とは何|意味")

Lack = Literal["attachment", "above", "below", "pronoun", "blank"]


@dataclass(frozen=True, slots=True)
class MissingReference:
    """Words of a request that refer to something that is not there."""

    lack: Lack
    words: str
    """The words of the request, at most 80 characters."""

    @property
    def question(self) -> str:
        """Return the question to the client, in the language of its words."""
        return _QUESTIONS[_language(self.words)][self.lack].format(words=self.words)

    @property
    def assumption(self) -> str:
        """Return what is assumed if nobody answers, in the language of the words."""
        return _ASSUMPTIONS[_language(self.words)][self.lack].format(words=self.words)


_QUESTIONS: Final[dict[str, dict[Lack, str]]] = {
    "en": {
        "attachment": "You write “{words}”, but no document came with the request. What does it say?",
        "above": "You write “{words}”, but nothing stands above it. Which text do you mean?",
        "below": "You write “{words}”, but nothing follows. Which text do you mean?",
        "pronoun": "You write “{words}”. Which text do you mean?",
        "blank": "The request has “{words}” in place of a word. What should stand there?",
    },
    "ja": {
        "attachment": "「{words}」とありますが、資料が届いていません。その内容を教えてください。",
        "above": "「{words}」とありますが、その前に文章がありません。どの文章のことですか。",
        "below": "「{words}」とありますが、続きがありません。どの文章のことですか。",
        "pronoun": "「{words}」とは、どの文章のことですか。",
        "blank": "依頼に「{words}」とあります。ここに入る言葉を教えてください。",
    },
}
_ASSUMPTIONS: Final[dict[str, dict[Lack, str]]] = {
    "en": {
        "attachment": "there is no “{words}” to read, and what I remember must do.",
        "above": "“{words}” refers to what I remember on the subject.",
        "below": "“{words}” refers to what I remember on the subject.",
        "pronoun": "“{words}” refers to what I remember on the subject.",
        "blank": "“{words}” stands for any such word.",
    },
    "ja": {
        "attachment": "「{words}」は読まず、記憶にあることだけで答えます。",
        "above": "「{words}」は記憶にあることを指します。",
        "below": "「{words}」は記憶にあることを指します。",
        "pronoun": "「{words}」は記憶にあることを指します。",
        "blank": "「{words}」にはどの言葉も当てはまるものとします。",
    },
}


def missing_reference(request: str, *, has_material: bool = False) -> MissingReference | None:
    """Return the first reference of a request to something that is not there; None if there is certainly none.

    With `has_material`, documents came with the request or earlier turns precede it, so that only blanks count. The
    request should be an original text, not a rewritten one.
    """
    text = request.strip()
    if not has_material:
        for lack, patterns in _REFERENCES:
            for pattern in patterns:
                found = pattern.search(text)
                if found is not None and _is_certain(lack, text, found):
                    return MissingReference(lack, _quoted(found.group()))
    return _blank(text)


_REFERENCES: Final[tuple[tuple[Lack, tuple[re.Pattern[str], ...]], ...]] = (
    ("attachment", (_ATTACHED, _ATTACHED_JA)),
    ("below", (_BELOW, _BELOW_JA)),
    ("above", (_ABOVE, _ABOVE_JA)),
    ("pronoun", (_BARE, _BARE_JA)),
)


def _is_certain(lack: Lack, text: str, found: re.Match[str]) -> bool:
    """Return True unless the text may hold what is referred to, or speaks about such references in general."""
    if lack == "above":
        return not _has_content(text[: found.start()])
    if lack in {"below", "pronoun"}:
        return True
    before = text[: found.start()].rsplit("\n", 1)[-1]
    after = re.split(r"[.!?。！？\n]", text[found.end() :], maxsplit=1)[0]
    sentence = f"{before}{found.group()}{after}"
    if _GENERAL.search(re.split(r"[.!?。！？]\s*", before)[-1] or sentence) or _GENERAL_JA.search(
        found.group() + after
    ):
        return False
    return len(text) - len(sentence) < PASTED


def _has_content(before: str) -> bool:
    """Return True if more than a greeting and the beginning of the sentence stand before a reference."""
    earlier = re.split(r"(?<=[.!?。！？:：])\s*|\n", before.strip())[:-1]
    written = "".join(earlier)
    return len(written) + sum(map(is_cjk, written)) > LONGEST_GREETING


def _blank(text: str) -> MissingReference | None:
    found = _BLANK.search(text)
    if found is None or _ABOUT_BLANKS.search(text):
        return None
    return MissingReference("blank", _quoted(found.group()))


def _quoted(words: str) -> str:
    return " ".join(words.split())[:80].strip(" .!?。:：")


def _language(text: str) -> str:
    return "ja" if any(map(is_cjk, text)) else "en"
