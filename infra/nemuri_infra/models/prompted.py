"""A model that does its jobs with a chat: one request for each job, and a reader of the reply."""

from nemuri_contracts.event import Usage
from nemuri_domain.affective.text_compression import EXTRACTIVE, compressed
from nemuri_domain.affective.turn_reader import LEXICON_MODEL
from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.item_importance import Importance, most_important
from nemuri_domain.language.request_items import separate_requests
from nemuri_domain.tasks.panel import side_by_side
from nemuri_domain.tiered.memory_merging import MemoryText, extract_memory
from nemuri_infra.models.answer_jobs import (
    Answer,
    AnswerJob,
    AnswerOutcome,
    ChosenAgent,
    JudgeJob,
    Merged,
    MergeJob,
    RebutJob,
    Rebuttal,
    RestateJob,
    RouteJob,
)
from nemuri_infra.models.chat import Chat
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs import (
    agent_choice,
    answer,
    answer_merge,
    item_reading,
    key_point,
    learnings,
    memory_consolidation,
    overview,
    overview_notes,
    panel_rebuttal,
    restatement,
    school,
    semantic_statement,
    statement_relations,
    task_summary,
    turn_compression,
    turn_reading,
    usage_judge,
)
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


class PromptedModel:
    """A model that does each job by sending a prompt to a chat. Every method raises the errors of the chat."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """Return the name of the chat."""
        return self._chat.name

    @property
    def understands(self) -> bool:
        """True: a chat is a language model."""
        return True

    async def answer(self, job: AnswerJob) -> Reply[AnswerOutcome]:
        """Return the chat's answer, its call of a tool, or its question. Only labels of the job's sources count as
        citations.
        """
        reply = await self._chat.complete(answer.request(job))
        return Reply(answer.read(reply.value, job), reply.usage)

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """Return the first sentence of the chat's reply."""
        reply = await self._chat.complete(key_point.request(job))
        return Reply(key_point.read(reply.value), reply.usage)

    async def notes(self, job: NotesJob) -> Reply[tuple[NoteText, ...]]:
        """Return the notes in the chat's reply, one for each line."""
        reply = await self._chat.complete(overview_notes.request(job))
        return Reply(overview_notes.read(reply.value, job), reply.usage)

    async def overview(self, job: OverviewJob) -> Reply[Answer]:
        """Return the chat's overview. Only labels of the job's sources count as citations."""
        reply = await self._chat.complete(overview.request(job))
        return Reply(overview.read(reply.value, job), reply.usage)

    async def summary(self, job: SummaryJob) -> Reply[str | None]:
        """Return the chat's summary."""
        reply = await self._chat.complete(task_summary.request(job))
        return Reply(task_summary.read(reply.value), reply.usage)

    async def items(self, job: ItemsJob) -> Reply[tuple[str, ...]]:
        """Return the items that the chat's reply lists; if it cannot be parsed, the items found by words."""
        reply = await self._chat.complete(item_reading.items_request(job))
        found = item_reading.read_items(reply.value, job)
        return Reply(separate_requests(job.text) if found is None else found, reply.usage)

    async def importance(self, job: ImportanceJob) -> Reply[tuple[Importance, ...]]:
        """Return the items that the chat's reply chooses, filled up by words if it chooses fewer than wanted."""
        reply = await self._chat.complete(item_reading.importance_request(job))
        found = item_reading.read_importance(reply.value, job) or ()
        chosen = {each.index for each in found}
        more = (each for each in most_important(job.items, len(job.items)) if each.index not in chosen)
        return Reply((*found, *more)[: job.k], reply.usage)

    async def learnings(self, job: LearningsJob) -> Reply[Learned]:
        """Return the chat's learnings for the job's perspectives; empty if its reply cannot be parsed."""
        reply = await self._chat.complete(learnings.request(job))
        return Reply(learnings.read(reply.value, job), reply.usage)

    async def read_section(self, job: SectionJob) -> Reply[str]:
        """Return the chat's note on the section."""
        reply = await self._chat.complete(school.reading_request(job))
        return Reply(school.read_note(reply.value), reply.usage)

    async def grade(self, job: GradeJob) -> Reply[Verdict]:
        """Return the chat's verdict; if its reply cannot be parsed, the verdict by words.

        In the second case the usage names both the chat and `extractive`.
        """
        reply = await self._chat.complete(school.grading_request(job))
        found = school.read_verdict(reply.value, job)
        return Reply(found or school.by_words(job), reply.usage if found else _instead(reply.usage, EXTRACTIVE))

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """Return the chat's comparisons of the job's pairs; empty if its reply cannot be parsed."""
        reply = await self._chat.complete(statement_relations.request(job))
        return Reply(statement_relations.read(reply.value, job), reply.usage)

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """Return the labels that the chat's reply names. Raises `ModelRefused` if the reply cannot be parsed."""
        reply = await self._chat.complete(usage_judge.request(job))
        found = usage_judge.read(reply.value, job)
        if found is None:
            raise ModelRefused(f"{self.name} gave no judgement that can be parsed", usage=reply.usage)
        return Reply(found, reply.usage)

    async def generalise(self, job: GeneraliseJob) -> Reply[str]:
        """Return the chat's statement; the most typical given one if the reply cannot be what all of them say.

        In the second case the usage names both the chat and `extractive`.
        """
        reply = await self._chat.complete(semantic_statement.request(job))
        found = semantic_statement.read(reply.value, job)
        return Reply(found or job.statements[0].text, reply.usage if found else _instead(reply.usage, EXTRACTIVE))

    async def restate(self, job: RestateJob) -> Reply[str]:
        """Return the chat's restated request; the original request if the reply is empty."""
        reply = await self._chat.complete(restatement.request(job))
        return Reply(restatement.read(reply.value, job), reply.usage)

    async def choose_agent(self, job: RouteJob) -> Reply[ChosenAgent | None]:
        """Return the chat's choice; None if its reply cannot be parsed or names no agent of the job."""
        reply = await self._chat.complete(agent_choice.request(job))
        return Reply(agent_choice.read(reply.value, job), reply.usage)

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """Return the chat's merged answer; if its reply cannot be parsed, the voices one after the other."""
        reply = await self._chat.complete(answer_merge.request(job))
        merged = answer_merge.read(reply.value, job) or Merged(side_by_side(job.voices), ())
        return Reply(merged, reply.usage)

    async def rebut(self, job: RebutJob) -> Reply[Rebuttal]:
        """Return the chat's rebuttal; if its reply cannot be parsed, the member stands by its answer."""
        reply = await self._chat.complete(panel_rebuttal.request(job))
        found = panel_rebuttal.read(reply.value, job)
        return Reply(found or Rebuttal(job.own, stands=True, problem=panel_rebuttal.UNREAD), reply.usage)

    async def feel(self, job: FeelJob) -> Reply[TurnReading]:
        """Return the chat's reading of the turn; if its reply cannot be parsed, the lexicon's reading.

        In the second case the usage names both the chat and the lexicon.
        """
        reply = await self._chat.complete(turn_reading.request(job))
        known = turn_reading.by_words(job)
        found = turn_reading.read(reply.value, known, job)
        return Reply(found or known, reply.usage if found else _instead(reply.usage, LEXICON_MODEL))

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """Return the chat's compression of the memory.

        If its reply cannot be parsed or is longer than the memory, the extractive compression is returned. The usage
        then names both the chat and `extractive`.
        """
        reply = await self._chat.complete(turn_compression.request(job))
        found = turn_compression.read(reply.value, job)
        own = compressed(job.level, job.trigger, job.content)
        return Reply(found or Compressed(*own), reply.usage if found else _instead(reply.usage, EXTRACTIVE))

    async def consolidate(self, job: ConsolidateJob) -> Reply[MemoryText]:
        """Return the chat's consolidation; if its reply cannot be parsed, the extractive one.

        In the second case the usage names both the chat and `extractive`.
        """
        reply = await self._chat.complete(memory_consolidation.request(job))
        own = extract_memory(job.memories, job.rules)
        found = memory_consolidation.read(reply.value, own)
        return Reply(found or own, reply.usage if found else _instead(reply.usage, EXTRACTIVE))

    async def aclose(self) -> None:
        """Close the chat."""
        await self._chat.aclose()


def _instead(spent: Usage, by: str) -> Usage:
    """Return the usage of an unusable reply, and add the name of the model that replaced the reply."""
    return Usage.together((spent, Usage(model=by)))
