"""Judgement of an answer by criteria, for evaluations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_objects import one_line
from nemuri_infra.models.json_schema import TEXT, closed, listed, one_of, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

Met = Literal["yes", "partly", "no"]
TOKENS: Final = 900
SCHEMA: Final = closed("judgement", criteria=listed(record(criterion=TEXT, met=one_of(*get_args(Met)))), why=TEXT)
_LONGEST_WHY: Final = 300


@dataclass(frozen=True, slots=True)
class AnswerJudgement:
    """How far an answer meets each criterion, and why."""

    met: tuple[Met, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class JudgeAnswerJob(Job[AnswerJudgement]):
    """The job of judging an answer to a question."""

    must_be_read = True

    question: str
    criteria: tuple[str, ...]
    """What a right answer must do, at least one point."""
    answer: str
    rule: str = ""
    """Rule for judging answers to such questions, in words of ours; "" if there is none."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        points = "\n".join(f"c{number}. {criterion}" for number, criterion in enumerate(self.criteria, 1))
        return prompt("answer_judgement").request(
            TOKENS,
            {
                "question": FencedText("question", self.question),
                "criteria": Source("criteria", points),
                "rule": f"Rule: {self.rule}" if self.rule else "",
                "answer": FencedText("answer", self.answer),
            },
            steady=True,
            schema=SCHEMA,
        )

    def read(self, reply: ChatReply) -> AnswerJudgement:
        """Return the judgement in a reply that judges every criterion. Raises `UnreadableReplyError` otherwise."""
        for said in reply.objects():
            judged = said.get("criteria")
            entries = [entry for entry in judged if isinstance(entry, Mapping)] if isinstance(judged, list) else []
            by_name = {str(entry.get("criterion")).strip().casefold(): entry.get("met") for entry in entries}
            met = [_met(by_name.get(f"c{number}")) for number in range(1, len(self.criteria) + 1)]
            known: list[Met] = [value for value in met if value is not None]
            if len(known) == len(met):
                return AnswerJudgement(tuple(known), one_line(said.get("why"), _LONGEST_WHY))
        raise UnreadableReplyError("no judgement on every criterion")

    def without_model(self) -> AnswerJudgement:
        """Return that no criterion is met: only a language model can judge."""
        unmet: tuple[Met, ...] = ("no",)
        return AnswerJudgement(unmet * len(self.criteria), "only a language model can judge")


def _met(value: object) -> Met | None:
    values: dict[str, Met] = {met: met for met in get_args(Met)}
    return values.get(value.strip().casefold()) if isinstance(value, str) else None
