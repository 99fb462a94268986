"""Recognition of sentences and lines that ask for something: questions, requests and orders, English and Japanese."""

import re
from typing import Final

from nemuri_domain.language.request_words import (
    AMBIGUOUS_VERBS,
    IMPERATIVE_VERBS,
    JAPANESE_ACTION_NOUNS,
    JAPANESE_VERBS,
)

_QUESTION = re.compile(r"(?:[?？][.!?！？…]*|か。?)[」』）】\"'”’)\]]*$")
_REQUEST = re.compile(
    r"asked: “|質問「|(?:please[, ]+)?(?:explain|describe|summari[sz]e|(?:tell|give|show) (?:me|us)"
    r"|answer (?:the|this|these|each|all))\b"
    r"|.*(?:教え|説明し|答え|述べ|まとめ|要約し|挙げ|示し|回答し)て(?:ください|下さい|くれ|ほしい|欲しい|もらえます)?[。．]?$",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?:^|[.!?:,]\s*|\bplease\s+|\b(?:can|could|would) you\s+)(?:answer|reply to|respond to)\b"
    r"|(?:答え|回答し)て|(?:回答|返答|お答え)(?:を?お願い|ください|下さい)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|every|all|these|those|the following|them|one by one|as listed|below)\b"
    r"|それぞれ|各|すべて|全て|以下|次の|一つずつ|順に",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:do|handle|process|work (?:on|through)|go through|go over|address|deal with|resolve|complete|carry out"
    r"|execute"
    r"|take care of|investigate|review|check|explain|describe|define|estimate|give|state|list|tell|fill|write"
    r"|find)\b"
    r"|(?:対応|処理|検討|調査|確認|説明|解決|実施|実行|回答|見積|記入|定義)|(?:調べ|答え|教え|述べ|片付け|こなし|進め)て",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(?:summari[sz]e|compare|rank|sort|order|group|categori[sz]e|classify|count|merge|combine|choose|pick|select"
    r"|which (?:one |two |three )?of|which (?:is|are)|what (?:do|does|is|are) (?:these|they|this|the common)|how many"
    r"|proofread|translate|reformat|what follows from|conclude)\b"
    r"|要約|まとめて|比較|比べ|順位|並べ替え|分類|選ん|選び|数え|いくつ|いずれ|どれ|どちら|整理して|翻訳|校正|共通",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:(?:please|kindly|then|also|finally|next|first|second|third|lastly|and|now|todo:?|action:?|task:?"
    r"|(?:can|could|would|will) you(?: please)?|(?:you|we) (?:should|must|need to|have to|ought to)"
    r"|i(?:'d like| want| need) you to|(?:make|be) sure (?:to|that you)|don['’]t forget to|remember to|let['’]s"
    r"|do not|don['’]t|never|always)[,\s]+)*",
    re.IGNORECASE,
)
_VERB = re.compile(r"[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_FINITE = re.compile(
    r"\W+(?:\w+\W+){0,3}?(?:is|are|was|were|has|had|have|will|shows?|showed|began|came|went)\b", re.IGNORECASE
)
_JAPANESE_ORDER = re.compile(
    r"(?:(?:して|んで|いて|って|きて|けて|めて|えて|べて|せて|てて|ねて|れて|げて|みて|おいて)"
    r"(?:ください|下さい|ほしい|欲しい|くれ|くれますか|もらえますか|おくこと|おく|いただけますか|いただきたい|頂きたい)?"
    r"|すること|せよ|しなさい|(?:を|の|お)願い(?:します|いたします|致します)?|願います|ましょう"
    rf"|[をにのへと](?:再|要|早急に|至急)?(?:{JAPANESE_ACTION_NOUNS})(?:する|します|すること|して|せよ|のこと|を行う|を行うこと|願います)?"
    rf"|[をにへと](?:{JAPANESE_VERBS})(?:こと)?)[。．！!]?$"
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
    return is_question(sentence) or _REQUEST.match(sentence) is not None


def is_order(sentence: str) -> bool:
    """Return True if the sentence, on one line, tells somebody to do something.

    In English it begins with a verb in the imperative, after words such as "please" or "then". In Japanese it ends with
    a request form, or with an action and its object (証明書を更新, バックアップの確認).
    """
    text = sentence.strip()
    if len(text) > LONGEST_ORDER:
        return False
    if _JAPANESE_ORDER.search(text) or _PLAIN_JAPANESE_ORDER.fullmatch(text):
        return True
    start = _POLITE.match(text).end()  # type: ignore[union-attr]  # matches any text
    verb = _VERB.match(text, start)
    if verb is None or verb.group().lower() not in IMPERATIVE_VERBS:
        return False
    rest = text[verb.end() :]
    if not rest.strip(" .!。") or rest[:1] in ":'’":
        return False
    return not (verb.group().lower() in AMBIGUOUS_VERBS and _FINITE.match(rest))


def asks_for_something(sentence: str) -> bool:
    """Return True if the sentence is a question, a request or an order."""
    return is_request(sentence) or is_order(sentence)


def wants_answers(text: str) -> bool:
    """Return True if the text asks to answer something that it does not contain itself ("answer these")."""
    return _ANSWER.search(text) is not None


def wants_each_done(text: str) -> bool:
    """Return True if the text asks to work on each of several items ("estimate each of these")."""
    return wants_answers(text) or (_EACH.search(text) is not None and _WORK.search(text) is not None)


def treats_as_whole(text: str) -> bool:
    """Return True if the text asks one thing about all items together, such as a comparison or a choice."""
    return not wants_answers(text) and _WHOLE.search(text) is not None
