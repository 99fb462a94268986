"""Summary of texts that do not fit a task's summary (document 000 §3.9)."""

from dataclasses import dataclass

from nemuri_domain.language.citations import without_citations
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source


@dataclass(frozen=True, slots=True)
class SummaryJob(Job[str | None]):
    """The job of summarising texts, in their order, for the request of a task."""

    request: str
    texts: tuple[str, ...]
    tokens: int
    """Maximum tokens of the summary."""

    def chat_request(self) -> ChatRequest:
        """Return the request. The reply may be twice as long as wanted before it is cut."""
        texts = [Source(f"s{number}", text) for number, text in enumerate(self.texts, 1)]
        length = f"Length: at most {self.tokens} tokens."
        values: Values = {"texts": texts, "length": length, "request": FencedText("request", self.request)}
        return prompt("task_summary").request(2 * self.tokens, values)

    def read(self, reply: ChatReply) -> str | None:
        """Return the summary in a reply, without labels."""
        return without_citations(reply.text).strip()

    def without_model(self) -> str | None:
        """Return None: the caller chooses among the texts."""
        return None
