"""Documents with questions about facts in them: conversations, documents of one subject, and mixed paragraphs."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from nemuri.evaluation.benchmark import Place
from nemuri.evaluation.locomo import read as read_locomo
from nemuri_domain.language.sentences import spans

Kind = Literal["conversation", "one subject", "mixed"]
NOON: Final = 12
LEAST_ARTICLE: Final = 4_000
"""Minimum characters of a JSQuAD article that is a document of one subject."""
MIXED_PARAGRAPHS: Final = 300
REPORTS: Final = 4
ENTRIES: Final = 240
"""Number of entries of a generated report; every fifth is asked for."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fact:
    """A question about a document, and the spans of the document that answer it. One of them suffices."""

    question: str
    evidence: tuple[Span, ...]
    answer: str = ""
    """The words that an answer must contain; "" if the evidence alone counts."""


@dataclass(slots=True)
class Material:
    """A document with facts that are asked for."""

    kind: Kind
    language: str
    text: str = ""
    units: list[Span] = field(default_factory=list)
    """Turns, paragraphs or entries of the document: what a baseline searches."""
    facts: list[Fact] = field(default_factory=list)

    def add(self, text: str, gap: str = "\n") -> Span:
        """Add a unit at the end of the document. Return its span."""
        start = len(self.text)
        self.text += text
        self.units.append((start, len(self.text)))
        self.text += gap
        return self.units[-1]

    def third(self, fact: Fact) -> int:
        """Return the third of the document, from 0, in which the first evidence of a fact stands."""
        return min(2, 3 * min(fact.evidence)[0] // max(1, len(self.text)))


def conversations(path: Path) -> Iterator[Material]:
    """Yield each conversation of LoCoMo as one document: a heading for each session, and a line for each turn."""
    for history in read_locomo(path):
        made, spans_of = Material("conversation", "en"), dict[Place, Span]()
        for conversation in history.conversations:
            at = conversation.messages[0].at
            when = (
                f"{at.hour % 12 or 12}:{at:%M} {'am' if at.hour < NOON else 'pm'} on {at.day} {at:%B, %Y}" if at else ""
            )
            made.text += f"\n{conversation.name.replace('_', ' ').capitalize()}, {when}\n\n"
            for position, turn in enumerate(conversation.messages):
                spans_of[conversation.name, position] = made.add(f"{turn.speaker}: {turn.text}")
        for asked in history.questions:
            if asked.evidence and not asked.unanswerable:
                made.facts.append(Fact(asked.text, tuple(spans_of[place] for place in asked.evidence)))
        yield made


def articles(path: Path) -> Iterator[Material]:
    """Yield each long article of JSQuAD as a document of one subject."""
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        paragraphs = article["paragraphs"]
        if sum(len(paragraph["context"]) for paragraph in paragraphs) >= LEAST_ARTICLE:
            yield _of_paragraphs("one subject", paragraphs)


def mixed(path: Path) -> Iterator[Material]:
    """Yield documents of the paragraphs of all articles of JSQuAD, in random order."""
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [each for article in data for each in article["paragraphs"]]
    random.Random(5).shuffle(paragraphs)
    for start in range(0, len(paragraphs), MIXED_PARAGRAPHS):
        yield _of_paragraphs("mixed", paragraphs[start : start + MIXED_PARAGRAPHS])


def _of_paragraphs(kind: Kind, paragraphs: Sequence[Mapping[str, Any]]) -> Material:
    made = Material(kind, "ja")
    for paragraph in paragraphs:
        context = paragraph["context"].partition(" [SEP] ")[2]
        shift = len(paragraph["context"]) - len(context)
        start, _ = made.add(context, "\n\n")
        for asked in paragraph["qas"]:
            right = asked["answers"][0]
            at = right["answer_start"] - shift
            said = [(one, end) for one, end in spans(context) if one <= at < end]
            if context[at : at + len(right["text"])] == right["text"] and said:
                evidence = ((start + said[0][0], start + said[0][1]),)
                made.facts.append(Fact(asked["question"], evidence, right["text"]))
    return made


_PARTS = {
    "en": (
        ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Larch", "Maple", "Olive", "Pine", "Rowan", "Willow"),
        ("intake", "outlet", "transfer", "relief", "booster", "drain", "mixing", "dosing", "feed", "return"),
        ("Ms Ito", "Mr Lund", "Ms Okafor", "Mr Silva", "Ms Novak", "Mr Haddad", "Ms Berg", "Mr Tanaka"),
        ("bearing wear", "a leaking seal", "low pressure", "a blocked filter", "vibration", "a cracked housing"),
    ),
    "ja": (
        ("赤城", "榛名", "妙義", "筑波", "八溝", "那須", "日光", "秩父", "丹沢", "箱根", "富士", "天城"),
        ("取水", "排水", "送水", "安全弁", "増圧", "抜水", "混合", "薬注", "給水", "還水"),
        ("伊藤さん", "山本さん", "佐々木さん", "高橋さん", "森さん", "小林さん", "渡辺さん", "加藤さん"),
        ("軸受の摩耗", "シールの漏れ", "圧力低下", "フィルターの目詰まり", "振動", "ケースの亀裂"),
    ),
}
_ENTRY = {
    "en": "During the inspection of the {kind} pump at station {place} {number}, {who} found {fault}. The pump had "
    "been in service since the last overhaul of the station, and the readings of pressure and flow were taken as at "
    "every inspection of a pump. The repair cost {cost} euros and took {days} days. Until then the station was served "
    "by the neighbouring pump, as the rules of the waterworks provide.",
    "ja": "{place}第{number}ポンプ場の{kind}ポンプの点検で、{who}が{fault}を見つけた。"
    "このポンプは前回のポンプ場の大規模点検から使われており、圧力と流量はポンプの点検ごとに測定されている。修理には{cost}ユーロと{days}日を要した。"
    "修理が終わるまで、水道局の規則に従い、隣のポンプがポンプ場を支えた。",
}
_ASKED = {
    "en": (
        ("How much did the repair of the {kind} pump at station {place} {number} cost?", "{cost} euros"),
        ("Who inspected the {kind} pump at station {place} {number}?", "{who}"),
        ("What was wrong with the {kind} pump of station {place} {number}?", "{fault}"),
        ("How many days did the repair of the {kind} pump at {place} {number} take?", "{days} days"),
    ),
    "ja": (
        ("{place}第{number}ポンプ場の{kind}ポンプの修理にはいくらかかりましたか。", "{cost}ユーロ"),
        ("{place}第{number}ポンプ場の{kind}ポンプを点検したのは誰ですか。", "{who}"),
        ("{place}第{number}ポンプ場の{kind}ポンプの何が悪かったのですか。", "{fault}"),
        ("{place}第{number}ポンプ場の{kind}ポンプの修理に何日かかりましたか。", "{days}日"),
    ),
}


def reports() -> Iterator[Material]:
    """Yield generated reports on one subject. All entries have nearly the same words; each names its own pump."""
    for language, (places, kinds, people, faults) in _PARTS.items():
        for number in range(REPORTS):
            chance, made = random.Random(f"{language} {number}"), Material("one subject", language)
            pumps = [(place, kind, one) for place in places for kind in kinds for one in range(1, 6)]
            for at, (place, kind, one) in enumerate(chance.sample(pumps, ENTRIES)):
                told = {
                    "place": place,
                    "kind": kind,
                    "number": str(one),
                    "who": chance.choice(people),
                    "fault": chance.choice(faults),
                    "cost": str(chance.randrange(200, 9_000)),
                    "days": str(chance.randrange(2, 60)),
                }
                span = made.add(_ENTRY[language].format(**told), "\n\n")
                if at % 5 == 0:
                    question, answer = chance.choice(_ASKED[language])
                    evidence = _sentence(made.text, span, answer.format(**told))
                    made.facts.append(Fact(question.format(**told), (evidence,), answer.format(**told)))
            yield made


def _sentence(text: str, span: Span, answer: str) -> Span:
    start, end = span
    said = [(start + one, start + other) for one, other in spans(text[start:end])]
    return next(each for each in said if answer in text[each[0] : each[1]])
