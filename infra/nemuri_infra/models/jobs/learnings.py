"""Learnings of a finished answer under each perspective (document 000 §3.3)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.retrieval.passage_ranking import CODE_FITNESS, Passage, most_central, most_related
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.extractive_answers import kinds, telling
from nemuri_infra.models.json_schema import TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 800
SCHEMA: Final = closed("learnings", happened=TEXT, learnings=listed(record(perspective=TEXT, sentence=TEXT)))
_LINE = re.compile(r"[\s\-*•・{,]*[\"'“「`]?(?P<name>[^:：\n]{1,200}?)[\"'”」`*]*\s*[:：]\s*(?P<value>\S.*)")
_HAPPENED: Final = ("happened", "what happened")
"""Keys under which a reply says what happened."""
_NOTHING: Final = frozenset({"", "-", "none", "null", "n/a", "なし", "該当なし", "特になし"})


@dataclass(frozen=True, slots=True)
class Learned:
    """The learnings of a finished answer."""

    by_perspective: Mapping[str, str]
    """One sentence for each perspective under which there is something to learn."""
    happened: str = ""
    """The event, in a sentence or two that stand on their own; "" if the model does not say."""


@dataclass(frozen=True, slots=True)
class LearningsJob(Job[Learned]):
    """The job of learning from a finished answer: at most one sentence for each perspective."""

    role: str
    question: str
    answer: str
    perspectives: tuple[str, ...]
    details: tuple[Source, ...]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keywords of each perspective, by perspective. Perspectives without keywords are left out."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        return prompt("learnings").request(
            TOKENS,
            {
                "role": self.role,
                "details": self.details,
                "question": FencedText("question", self.question),
                "answer": Source("answer", without_citations(self.answer)),
                "perspectives": "\n".join(f"- {normalised(perspective)}" for perspective in self.perspectives),
            },
            schema=SCHEMA,
        )

    def read(self, reply: ChatReply) -> Learned:
        """Return the sentence of each perspective in a reply, in the order of the job, and what happened, if it says
        so.

        The reply may be a list of perspectives and sentences, or an object by perspective, fenced, surrounded by prose
        or nested one level deep. If there is none, lines "perspective: …" are parsed. Names are compared without case
        and outer white space. Perspectives without a sentence, unknown names, empty values and "none" are left out.
        Labels in brackets, such as `[m3]`, are removed from all sentences. A reply with none of these forms cannot be
        read.
        """
        known = {perspective.strip().casefold(): perspective for perspective in self.perspectives}
        best: dict[str, str] = {}
        objects = [*reply.objects()]
        if not any("learnings" in said for said in objects) and (cut := reply.listed("learnings")):
            objects = [{"learnings": cut}]
        forms = [_by_perspective(said) for said in objects] or [_lines(reply.text)]
        for pairs in forms:
            found = _matching(pairs, known)
            if len(found) > len(best):
                best = found
        sentences_found = {perspective: best[perspective] for perspective in self.perspectives if perspective in best}
        accounts = (pairs.get(name) for pairs in objects for name in _HAPPENED)
        happened = next((account for account in accounts if isinstance(account, str)), "")
        named = any(name.strip().casefold() in known for pairs in forms for name in pairs)
        if not (named or happened or any("learnings" in pairs for pairs in objects)):
            raise UnreadableReplyError("no learnings")
        return Learned(sentences_found, normalised(without_citations(happened)))

    def if_unread(self) -> Learned:
        """Return no learnings: what rules find in the answer of such a model is not worth keeping."""
        return Learned({})

    def without_model(self) -> Learned:
        """Return the most informative sentence for each perspective. It shares terms with the perspective's name and
        keywords.

        The first sentence of the answer counts as its best. It goes to the perspective with which it shares most terms,
        or to the first perspective if it shares none. Sentences of the answer are preferred to sentences of the
        details, which must share a third of the question's terms. No sentence is returned twice.

        An answer without content of its own brings no learnings, for example one that found nothing or only asks.
        Quotes that hardly answer the question (see `_is_worth_learning`) bring none either. It does not say what
        happened.
        """
        asked = (self.question, *requests(self.question))
        said = telling((Source("", framing.substance(self.answer, self.question)),), asked)
        worth = [passage for passage in said if _is_worth_learning(passage, asked)]
        if not worth or not self.perspectives:
            return Learned({})
        favoured = content_terms(self.question)
        details = [
            passage
            for passage in telling(self.details, asked)
            if 3 * len(favoured & passage.counts.keys()) >= len(favoured)
        ]
        return Learned(_extracted(self, worth, details))


def _extracted(job: LearningsJob, said: list[Passage], details: list[Passage]) -> dict[str, str]:
    favoured = content_terms(job.question)
    wanted = {name: content_terms(" ".join((name, *job.keywords.get(name, ())))) for name in job.perspectives}
    best = said[0]
    first = max(job.perspectives, key=lambda name: len(wanted[name] & best.counts.keys()))
    found = {first: best.text}
    for perspective in job.perspectives:
        for group in (said, details):
            fresh = [passage for passage in group if passage.text not in found.values()]
            chosen = most_central(most_related(fresh, wanted[perspective]), favoured)
            if chosen and perspective not in found:
                found[perspective] = chosen.text
    return {name: found[name] for name in job.perspectives if name in found}


def _is_worth_learning(passage: Passage, asked: Sequence[str]) -> bool:
    """Return whether a quote has content, and contains more than half of the terms of at least one question in `asked`.

    The terms after "which" do not count. In "which service routes nothing" this is "service", which most sentences
    about services contain.
    """
    wanted = [content_terms(question) - kinds(question) or content_terms(question) for question in asked]
    return passage.fitness > CODE_FITNESS and any(
        2 * len(terms & passage.counts.keys()) > len(terms) for terms in wanted
    )


def _by_perspective(said: Mapping[str, object]) -> Mapping[str, object]:
    listed_ones = said.get("learnings")
    if not isinstance(listed_ones, list):
        return said
    return {str(entry.get("perspective")): entry.get("sentence") for entry in listed_ones if isinstance(entry, dict)}


def _lines(text: str) -> Mapping[str, object]:
    matches = (_LINE.match(line.strip()) for line in text.splitlines())
    return {match["name"]: match["value"].rstrip("\"'`,} ").lstrip("\"'`* ") for match in matches if match}


def _matching(pairs: Mapping[str, object], known: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs.items():
        perspective = known.get(name.strip().casefold())
        if perspective is None or not isinstance(value, str):
            continue
        sentence = next(iter(sentences(without_citations(value))), "")
        if sentence.strip(" .。").casefold() not in _NOTHING:
            found[perspective] = sentence
    return found
