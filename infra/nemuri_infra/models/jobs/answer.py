"""Answer of a question from memories and details (documents 000 §3.1 and §3.5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from nemuri_contracts.clarifications import Clarification, ClarificationRequest
from nemuri_contracts.steps import Tool
from nemuri_domain.language.blanks import question_about_blank
from nemuri_domain.language.citations import cited_labels, without_citation_brackets
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.read_share import Share
from nemuri_infra.models.chat import ChatReply, ChatRequest, OnText
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.extractive_answers import quoted_answer
from nemuri_infra.models.jobs import answer_notes, answer_tools
from nemuri_infra.models.jobs.answer_tools import Colleague, EarlierCall, ToolRequest
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import PromptPart, prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source

TOKENS: Final = 2_000
_CUT: Final = {
    "en": "(This answer is cut off: it reached the model's token limit.)",
    "ja": "（この回答は途中で切れています。モデルのトークン数の上限に達しました。）",
}
AnswerOutcome = Answer | ToolRequest | ClarificationRequest
"""Outcome of an `AnswerJob`."""


@dataclass(frozen=True, slots=True)
class AnswerJob(Job[AnswerOutcome]):
    """The job of answering a question from memories and details, in the language of the question.

    The outcome is a call of a tool only if the job has tools and `steps_left`, and a question to the client only if
    the job allows one. If the sources contain nothing relevant, the answer says so.
    """

    role: str
    system_prompt: str
    """The instructions in the agent's definition; may be empty."""
    perspective: str | None
    question: str
    memories: tuple[Source, ...]
    details: tuple[Source, ...]
    memo: str = ""
    """Table of contents of the agent's whole memory (document 000 §3.1); "" if there is none.

    The memo is not a source and is never cited.
    """
    today: date | None = None
    """Day on which the question is answered, by which the model tells what holds now; None to leave it out."""
    outline: str = ""
    """Summary of the documents and key points of their parts, for orientation; "" without documents.

    The outline is not a source and is never cited.
    """
    share: Share | None = None
    """Share of the documents that the details cover; None without documents."""
    on_text: OnText | None = field(default=None, compare=False, repr=False)
    """Function that gets the text of the answer while a language model writes it; None if nobody waits for it."""
    tools: tuple[Tool, ...] = ()
    """Tools that the model may call instead of answering; empty to forbid it."""
    colleagues: tuple[Colleague, ...] = ()
    """Agents that `consult` may ask."""
    steps: tuple[EarlierCall, ...] = ()
    """Earlier calls of tools, oldest first."""
    steps_left: int = 0
    """Number of further calls that are allowed. With 0 the model must answer."""
    may_ask: bool = False
    """True if the model may reply with a question to the client instead of an answer."""
    asked: Clarification | None = None
    """The question that was asked before, answered or expired; None if none was asked. An answer of the client is part
    of `question` or of `details`.
    """

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return all sources: the memories, the details, and what the steps found."""
        return (*self.memories, *self.details, *(source for step in self.steps for source in step.sources))

    def chat_request(self) -> ChatRequest:
        """Return the request. What differs between two questions to one agent is in the user message."""
        angle = f"Look at it from this perspective: {normalised(self.perspective)}" if self.perspective else ""
        asked = prompt("answer").request(
            TOKENS,
            {
                "instructions": self.system_prompt.strip(),
                "role": self.role,
                "asking": prompt("answer_asking").part({}) if self.may_ask else "",
                "signs": prompt("answer_signs").part({}),
                "memo": contents(self.memo),
                "sources": self.memories + self.details,
                "outline": _outlined(self.outline),
                "share": _partly_read(self.share),
                "today": f"Today is {self.today:%A}, {self.today.day} {self.today:%B %Y}." if self.today else "",
                "perspective": angle,
                "tools": prompt("answer_tools").part({"steps": str(self.steps_left)}) if self.tools else "",
                "colleagues": [Source(one.agent_id, one.contents, one.role) for one in self.colleagues],
                "asked": answer_notes.asked(self.asked),
                "question": FencedText("question", self.question),
            },
            tools=answer_tools.offered(self.tools),
            turns=answer_tools.turns(self.steps),
            may_call=self.steps_left > 0,
        )
        return replace(asked, on_text=answer_notes.prose_only(self.on_text) if self.on_text else None)

    def read(self, reply: ChatReply) -> AnswerOutcome:
        """Return the answer, the call of a tool or the question in a reply. Only labels of the job's sources count as
        citations.

        An answer that stopped at its token limit ends with a note that says so.
        """
        if reply.tool_calls and self.steps_left > 0:
            return answer_tools.read(reply.tool_calls[0], self.tools, self.colleagues, self.steps)
        if self.may_ask and (asked := answer_notes.read_request(reply.text)) is not None:
            return asked
        text, signs = answer_notes.read_signs(reply.text, {source.label for source in self.sources})
        return replace(cited_answer(replace(reply, text=text), self.question, self.sources), signs=signs)

    def without_model(self) -> AnswerOutcome:
        """Return an answer of quotations (see `extractive_answers`).

        It asks only about a blank in the question.
        """
        if self.may_ask and (blank := question_about_blank(self.question)) is not None:
            return blank
        partly_read = self.share is not None and self.share.text < 1
        return quoted_answer(self.question, self.memories, self.details, partly_read=partly_read)


def answer_of(outcome: AnswerOutcome) -> Answer:
    """Return the answer to a job without tools and without questions. Raises TypeError for any other outcome."""
    if isinstance(outcome, ToolRequest):
        raise TypeError(f"the model called {outcome.tool} although it has no tools")
    if isinstance(outcome, ClarificationRequest):
        raise TypeError(f"the model asked although it may not: {outcome.question}")
    return outcome


def cited_answer(reply: ChatReply, question: str, sources: Sequence[Source]) -> Answer:
    """Return the answer in a reply to a question, as `read` does, without a question and signs."""
    found = cited_labels(reply.text, [source.label for source in sources])
    language = "ja" if any(map(is_cjk, question)) else "en"
    text = f"{reply.text}\n\n{_CUT[language]}" if reply.truncated else reply.text
    return Answer(text, found, complete=bool(found))


def _partly_read(share: Share | None) -> str | PromptPart:
    """Return a note that only a part of the documents was read; empty if they were read whole."""
    if share is None or share.text >= 1:
        return ""
    values = {"percent": str(share.percent), "chunks": str(share.chunks), "of": str(share.of)}
    return prompt("answer_share").part(values)


def _outlined(outline: str) -> str | PromptPart:
    """Return the outline of the documents as a fenced text with an introduction; empty if there is none."""
    told = without_citation_brackets(outline)
    return prompt("answer_outline").part({"outline": FencedText("outline", told)}) if outline else ""


def contents(memo: str) -> str | PromptPart:
    """Return the memo as a fenced text with an introduction; empty if there is no memo."""
    return (
        prompt("answer_memo").part({"contents": FencedText("contents", without_citation_brackets(memo))})
        if memo
        else ""
    )
