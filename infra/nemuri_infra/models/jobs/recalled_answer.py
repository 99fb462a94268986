"""An answer to a question from passages that were retrieved, for evaluations: the same prompt for every memory."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError

TOKENS: Final = 800
UNKNOWN: Final = "I do not know."


@dataclass(frozen=True, slots=True)
class RecalledAnswerJob(Job[str]):
    """The job of answering a question from passages."""

    must_be_read = True

    question: str
    passages: tuple[str, ...]
    """Texts with speaker and time, in the order in which they are shown."""
    asked_at: datetime | None = None
    """Time of the question; None if it is unknown."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        at = self.asked_at
        today = f"The question is asked on {at:%A}, {at.day} {at:%B %Y}." if at else ""
        return prompt("recalled_answer").request(
            TOKENS,
            {
                "passages": FencedText("passages", "\n\n".join(self.passages)) if self.passages else "",
                "today": today,
                "question": FencedText("question", self.question),
            },
            steady=True,
        )

    def read(self, reply: ChatReply) -> str:
        """Return the text of a reply. Raises `UnreadableReplyError` if it is blank."""
        if not (text := reply.text.strip()):
            raise UnreadableReplyError("no answer")
        return text

    def without_model(self) -> str:
        """Return that nothing is known, which is all that can be said without reading."""
        return UNKNOWN
