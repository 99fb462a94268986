"""The extractive model. It is not a language model: it quotes the most relevant sentences of its sources."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from nemuri_contracts.clarifications import ClarificationRequest
from nemuri_contracts.event import Usage
from nemuri_domain.affective.text_compression import compressed
from nemuri_domain.affective.turn_reader import LEXICON_MODEL
from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.answering_passages import ANSWERS, NEAR, answering, newer_first, relevances
from nemuri_domain.language.follow_up_requests import self_contained
from nemuri_domain.language.item_importance import Importance, most_important
from nemuri_domain.language.passage_ranking import (
    CODE_FITNESS,
    QUOTE_LIMIT,
    Passage,
    demote_contradicted,
    most_central,
    most_related,
    passages,
)
from nemuri_domain.language.relevance import relevance_of
from nemuri_domain.language.request_echoes import is_echo, is_part_of_item, listed_requests
from nemuri_domain.language.request_items import requests, separate_requests
from nemuri_domain.language.tokenization import content_terms, terms
from nemuri_domain.language.writing_systems import KANJI, KATAKANA
from nemuri_domain.tasks.panel import merged
from nemuri_domain.tiered.memory_merging import MemoryText, extract_memory
from nemuri_infra.models import document_quotes, extractive_overview
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.answer_jobs import (
    Answer,
    AnswerJob,
    ChosenAgent,
    JudgeJob,
    Merged,
    MergeJob,
    RebutJob,
    Rebuttal,
    RestateJob,
    RouteJob,
)
from nemuri_infra.models.jobs import school, turn_reading
from nemuri_infra.models.jobs.statement_relations import by_words
from nemuri_infra.models.jobs.usage_judge import judge_by_words
from nemuri_infra.models.memory_jobs import (
    Comparisons,
    Compressed,
    CompressJob,
    ConsolidateJob,
    FeelJob,
    GeneraliseJob,
    GradeJob,
    Learned,
    LearningsJob,
    RelationsJob,
    SectionJob,
    TurnReading,
)
from nemuri_infra.models.protocol import Reply
from nemuri_infra.models.reading_jobs import (
    ImportanceJob,
    ItemsJob,
    KeyPointJob,
    NotesJob,
    NoteText,
    OverviewJob,
    SummaryJob,
)
from nemuri_infra.models.sources import Source

MAX_QUOTES: Final = 6
QUOTED_CHARACTERS: Final = 1_200
"""Maximum number of characters of all quotes in one answer together, without labels and framing."""

_NAME: Final = "extractive"
_FREE: Final = Usage(model=_NAME)
_WHICH: Final = re.compile(
    rf"\bwhich (?:(?:one )?of (?:the|these|those) )?([\w-]+)|(?:どの|どんな)([{KATAKANA}{KANJI}]+)", re.IGNORECASE
)
"""Pattern of the word after "which" in a question. It names the kind of thing that is asked for ("which service …")."""
_TITLE = re.compile(r"^## .*$", re.MULTILINE)
"""Pattern of a heading between the parts of an answer."""


class ExtractiveModel:
    """A model that quotes instead of writing. It is deterministic, works offline and costs nothing. Its calls never
    fail.
    """

    name: Final = _NAME

    @cached_property
    def _one_chunk(self) -> asyncio.Lock:
        return asyncio.Lock()

    @property
    def understands(self) -> bool:
        """False: it quotes what it is given."""
        return False

    async def answer(self, job: AnswerJob) -> Reply[Answer | ClarificationRequest]:
        """Return an answer of at most 6 quoted sentences with at most 1,200 characters in all.

        Each quote has a line of its own and is followed by its label in brackets. Sentences are ranked by their
        relevance to the question, and only those are quoted that are surely about what was asked. A memory that a
        detail contradicts is ranked after that detail. Outdated memories are not quoted, and neither are sentences that
        are questions or repeat the question, nor the memo, since it is not a source.

        A quote of a memory that is older than another about the same thing is marked. The framing is in the language of
        the question, the quotes are in the language of their sources. If no sentence fits, the answer says that it is
        not known, names the memory that was retrieved first, and cites nothing. A question with several items is
        answered item by item. Each item gets at least one sentence or a note that nothing was found.

        It asks only if the question certainly refers to something that did not come with it.
        """
        if job.may_ask and job.missing is not None:
            request = ClarificationRequest(question=job.missing.question, assumption=job.missing.assumption)
            return Reply(request, _FREE)
        language = framing.language(job.question)
        items = requests(job.question)
        asked = (job.question, *items)
        searched = any(each.hits for each in job.details)
        at_hand = _telling(job.details, asked)
        # A memory with a note is outdated, and the newer one that says so is among the memories.
        current = [each for each in job.memories if not each.note]
        remembered = demote_contradicted(_telling(current, asked), at_hand)
        later = {each.label: each.succeeded_by for each in current if each.succeeded_by}
        quotes = (
            _searched_quotes(job.details, number, asked, item, _fitting(remembered, item, later), share=len(items))
            if searched
            else _quotes(remembered, at_hand, item, later, share=len(items))
            for number, item in enumerate(items or (job.question,))
        )
        found = [newer_first(each, later) for each in quotes]
        chosen = [passage for each in found for passage in each]
        if not chosen:
            nothing = framing.NOT_READ if job.share is not None and job.share.text < 1 else framing.NOTHING
            near = _nearest(current, remembered, job.question)
            text = "\n".join((nothing[language], *((f"{framing.NEAREST[language]} {near.text}",) if near else ())))
            return Reply(Answer(text, (), complete=True, signs=job.signs), _FREE)
        lines = framing.itemised(items, found, later, language) if items else framing.quoted(chosen, later, language)
        text = "\n".join([framing.QUOTING[language], *lines])
        cited = tuple(dict.fromkeys(passage.label for passage in chosen))
        return Reply(Answer(text, cited, complete=True, signs=job.signs), _FREE)

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """Return the most central sentence of the text.

        Sentences with content and with terms of the question are preferred. The text is read in a thread, one text at a
        time.
        """
        async with self._one_chunk:
            # In a thread, one at a time. A chunk takes about 20 ms, and the event loop stays free meanwhile.
            return Reply(await asyncio.to_thread(_point, job), _FREE)

    async def notes(self, job: NotesJob) -> Reply[tuple[NoteText, ...]]:
        """Return sentences of the sources: the most telling ones of each, or all that match the request's subject.

        If not all matching sentences fit, the last note gives the number of the others. The text is read in a thread,
        one text at a time.
        """
        async with self._one_chunk:
            return Reply(await asyncio.to_thread(extractive_overview.notes, job), _FREE)

    async def overview(self, job: OverviewJob) -> Reply[Answer]:
        """Return an overview that quotes sentences of all parts, and says that it only quotes."""
        async with self._one_chunk:
            return Reply(
                await asyncio.to_thread(extractive_overview.overview, job, framing.language(job.question)), _FREE
            )

    async def summary(self, job: SummaryJob) -> Reply[str | None]:  # noqa: ARG002 - the protocol's form
        """Return None: without a language model, the caller chooses among the texts."""
        return Reply(None, _FREE)

    async def items(self, job: ItemsJob) -> Reply[tuple[str, ...]]:
        """Return the items that rules find in the request."""
        return Reply(separate_requests(job.text), _FREE)

    async def importance(self, job: ImportanceJob) -> Reply[tuple[Importance, ...]]:
        """Return the items with words of urgency and consequence, then those that represent most others."""
        return Reply(await asyncio.to_thread(most_important, job.items, job.k), _FREE)

    async def learnings(self, job: LearningsJob) -> Reply[Learned]:
        """Return the most informative sentence for each perspective. It shares terms with the perspective's name and
        keywords.

        The first sentence of the answer counts as its best. It goes to the perspective with which it shares most terms,
        or to the first perspective if it shares none. Sentences of the answer are preferred to sentences of the
        details, which must share a third of the question's terms. No sentence is returned twice.

        An answer without content of its own brings no learnings, for example one that found nothing or only asks.
        Quotes that hardly answer the question (see `_is_worth_learning`) bring none either. It does not say what
        happened.
        """
        asked = (job.question, *requests(job.question))
        said = _telling((Source("", framing.substance(job.answer, job.question)),), asked)
        if not said or not job.perspectives:
            return Reply(Learned({}), _FREE)
        favoured = content_terms(job.question)
        details = [
            passage
            for passage in _telling(job.details, asked)
            if 3 * len(favoured & passage.counts.keys()) >= len(favoured)
        ]
        worth = [passage for passage in said if _is_worth_learning(passage, asked)]
        return Reply(Learned(_learned(job, worth, details) if worth else {}), _FREE)

    async def read_section(self, job: SectionJob) -> Reply[str]:
        """Return the section's most informative sentence: of those that share terms with the perspective, if any do."""
        said = [each for each in _telling((Source("", job.text),), ()) if each.fitness > CODE_FITNESS]
        wanted = content_terms(" ".join((job.perspective, *job.keywords)))
        found = most_central(most_related(said, wanted) or said, content_terms(job.title))
        return Reply(found.text if found else "", _FREE)

    async def grade(self, job: GradeJob) -> Reply[Verdict]:
        """Return the verdict by words: keywords, their synonyms, and negation."""
        return Reply(school.by_words(job), _FREE)

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """Return the comparisons of the pairs, decided by their words alone. A doubtful pair counts as unrelated and is
        left out.
        """
        return Reply(by_words(job), _FREE)

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """Return the labels of the memories that have a sentence whose rarer terms occur in the answer."""
        return Reply(judge_by_words(job), _FREE)

    async def generalise(self, job: GeneraliseJob) -> Reply[str]:
        """Return the most typical of the statements, in its own words."""
        return Reply(job.statements[0].text, _FREE)

    async def restate(self, job: RestateJob) -> Reply[str]:
        """Return the request.

        If rules find that it depends on an earlier question, the topic of that question is added.
        """
        return Reply(self_contained(job.request, [turn.question for turn in job.turns]), _FREE)

    async def choose_agent(self, job: RouteJob) -> Reply[ChosenAgent | None]:  # noqa: ARG002 - the protocol's form
        """Return None: without a language model, the fit of the agents decides alone."""
        return Reply(None, _FREE)

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """Return the statements that at least two voices share, followed by the statements of single voices.

        A statement that at least as many voices contradict as support becomes dissent. The text says that no language
        model merged the answers. If all answers are empty, it says that nothing was found.
        """
        language = framing.language(job.question)
        substances = (_TITLE.sub("", framing.substance(each.answer, job.question)) for each in job.voices)
        spoken = zip(job.voices, substances, strict=True)
        text, dissent = merged([each.model_copy(update={"answer": said}) for each, said in spoken])
        if not (text or dissent):
            return Reply(Merged(framing.NOTHING[language], ()), _FREE)
        return Reply(Merged(f"{framing.COMPARED[language]}\n{text or framing.DIVIDED[language]}", dissent), _FREE)

    async def rebut(self, job: RebutJob) -> Reply[Rebuttal]:
        """Return the member's answer as it is: only a language model can weigh the answers of others."""
        return Reply(Rebuttal(job.own, stands=True, problem=framing.UNWEIGHED[framing.language(job.question)]), _FREE)

    async def feel(self, job: FeelJob) -> Reply[TurnReading]:
        """Return a reading of the turn, made with a lexicon and from markers in the text.

        If the words express a relation, it is to the most similar earlier memory. The usage names the lexicon as the
        model.
        """
        return Reply(turn_reading.by_words(job), Usage(model=LEXICON_MODEL))

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """Return the memory's most informative sentences (level 2) or its keywords (level 3)."""
        return Reply(Compressed(*compressed(job.level, job.trigger, job.content)), _FREE)

    async def consolidate(self, job: ConsolidateJob) -> Reply[MemoryText]:
        """Return a memory made of the most informative sentences of the job's memories."""
        return Reply(extract_memory(job.memories, job.rules), _FREE)

    async def aclose(self) -> None:
        """Do nothing. This model has no connections."""


def _point(job: KeyPointJob) -> str:
    every = passages("", job.text)
    saying = [each for each in every if not is_echo(each.text, (job.question,))]
    found = most_central(saying or every, content_terms(job.question))
    return found.text if found else " ".join(job.text.split())[:QUOTE_LIMIT]


def _telling(sources: Sequence[Source], asked: Sequence[str]) -> list[Passage]:
    """Return the passages of the sources, except those that are questions or repeat one of the questions `asked`."""
    found: list[Passage] = []
    for source in sources:
        listed = listed_requests(source.text, asked)
        found += [
            each
            for each in passages(source.label, source.text)
            if not (is_echo(each.text, asked) or is_part_of_item(each.text, listed))
        ]
    return found


def _fitting(candidates: Sequence[Passage], question: str, later: Mapping[str, str]) -> list[Passage]:
    """Return the passages that are surely about what a question asks."""
    relevant = relevances(candidates, question, later)
    return [each for each, value in zip(candidates, relevant, strict=True) if value >= ANSWERS]


def _nearest(memories: Sequence[Source], passages: Sequence[Passage], question: str) -> Passage | None:
    """Return the passage of the first retrieved memory that fits a question best, of those given; None if no memory
    is near at all.
    """
    told = {each.label for each in passages}
    retrieved = {each.label: each.relevance for each in memories if each.relevance is not None and each.label in told}
    if max(retrieved.values(), default=0.0) < NEAR:
        return None
    first = next(iter(retrieved))
    said = [each for each in passages if each.label == first]
    return said[int(relevance_of(question, [each.text for each in said]).argmax())]


def _quotes(
    remembered: Sequence[Passage],
    at_hand: Sequence[Passage],
    question: str,
    later: Mapping[str, str],
    *,
    share: int,
) -> list[Passage]:
    """Return the passages to quote for one question, of memories and of material.

    The limits of length and number are divided by `share`, the number of questions; 0 counts as 1.
    """
    parts = max(share, 1)
    room = max(QUOTED_CHARACTERS // parts, QUOTE_LIMIT)
    every = [*remembered, *at_hand]
    relevant, most = relevances(every, question, later), max(MAX_QUOTES // parts, 1)
    return answering(every, relevant, remembered=len(remembered), most=most, characters=room)


def _searched_quotes(
    details: Sequence[Source],
    number: int,
    asked: Sequence[str],
    question: str,
    remembered: Sequence[Passage],
    *,
    share: int,
) -> list[Passage]:
    """Return the passages to quote for one question, number `number` of `share`, from details that were searched."""
    parts, wanted = max(share, 1), content_terms(question)
    found = document_quotes.quotes(details, number, asked, wanted)
    return document_quotes.merged(
        found,
        remembered,
        wanted,
        most=max(MAX_QUOTES // parts, 1),
        characters=max(QUOTED_CHARACTERS // parts, QUOTE_LIMIT),
        related=document_quotes.related(details, wanted),
        favoured=_kinds(question),
    )


def _learned(job: LearningsJob, said: list[Passage], details: list[Passage]) -> dict[str, str]:
    favoured = content_terms(job.question)
    wanted = {each: content_terms(" ".join((each, *job.keywords.get(each, ())))) for each in job.perspectives}
    best = said[0]
    first = max(job.perspectives, key=lambda each: len(wanted[each] & best.counts.keys()))
    learned = {first: best.text}
    for perspective in job.perspectives:
        for group in (said, details):
            fresh = [passage for passage in group if passage.text not in learned.values()]
            found = most_central(most_related(fresh, wanted[perspective]), favoured)
            if found and perspective not in learned:
                learned[perspective] = found.text
    return {each: learned[each] for each in job.perspectives if each in learned}


def _is_worth_learning(passage: Passage, asked: Sequence[str]) -> bool:
    """Return whether a quote has content, and contains more than half of the terms of at least one question in `asked`.

    The terms after "which" do not count. In "which service routes nothing" this is "service", which most sentences
    about services contain.
    """
    wanted = [content_terms(each) - _kinds(each) or content_terms(each) for each in asked]
    return passage.fitness > CODE_FITNESS and any(2 * len(each & passage.counts.keys()) > len(each) for each in wanted)


def _kinds(question: str) -> frozenset[str]:
    """Return the terms after "which" in a question."""
    return frozenset(term for named in _WHICH.findall(question) for term in terms(" ".join(named)))
