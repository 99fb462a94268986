"""The extractive model. It is not a language model: it quotes the most relevant sentences of its sources."""

import asyncio
import re
from functools import cached_property
from typing import Final

from nemuri_contracts.clarifications import ClarificationRequest
from nemuri_contracts.event import Usage
from nemuri_domain.affective.text_compression import compressed
from nemuri_domain.affective.turn_reader import LEXICON_MODEL
from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.follow_up_requests import self_contained
from nemuri_domain.language.item_importance import Importance, most_important
from nemuri_domain.language.passage_ranking import (
    QUOTE_LIMIT,
    most_central,
    passages,
)
from nemuri_domain.language.request_items import is_echo, separate_requests
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.tasks.panel import merged
from nemuri_domain.tiered.memory_merging import MemoryText, extract_memory
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models import extractive_overview
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
from nemuri_infra.models.extractive_answers import quoted_answer
from nemuri_infra.models.extractive_learnings import learned, said_in_section
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

_NAME: Final = "extractive"
_FREE: Final = Usage(model=_NAME)
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
        """Return an answer of quotations (see `extractive_answers`).

        It asks only if the question certainly refers to something that did not come with it.
        """
        if job.may_ask and job.missing is not None:
            request = ClarificationRequest(question=job.missing.question, assumption=job.missing.assumption)
            return Reply(request, _FREE)
        return Reply(quoted_answer(job), _FREE)

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
        """Return the most informative sentence for each perspective (see `extractive_learnings`)."""
        return Reply(learned(job), _FREE)

    async def read_section(self, job: SectionJob) -> Reply[str]:
        """Return the section's most informative sentence (see `extractive_learnings`)."""
        return Reply(said_in_section(job), _FREE)

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
