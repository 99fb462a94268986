"""The most important of many items, by a light model (document 000 §3.9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.tasks.item_importance import Importance, most_important
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_objects import one_line
from nemuri_infra.models.json_schema import INTEGER, TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_500
SCHEMA: Final = closed("item_importance", items=listed(record(number=INTEGER, why=TEXT)))
LONGEST_ITEM: Final = 300
"""Maximum characters of an item in the prompt about importance."""
LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class ImportanceJob(Job[tuple[Importance, ...]]):
    """The job of choosing the `k` most important items, with the reasons, most important first."""

    slow = True

    introduction: str
    """Text around the items."""
    items: tuple[str, ...]
    k: int

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        numbered = "\n".join(f"{number}. {item[:LONGEST_ITEM]}" for number, item in enumerate(self.items, 1))
        values: Values = {"introduction": _around(self), "items": FencedText("items", numbered), "k": str(self.k)}
        return prompt("item_importance").request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> tuple[Importance, ...]:
        """Return the items that a reply chooses, filled up by rules if it chooses fewer than wanted.

        Unknown numbers and repetitions are left out.
        """
        chosen = _chosen(reply.listed("items"), self)
        if not chosen:
            raise UnreadableReplyError("no number of an item")
        more = (item for item in most_important(self.items, len(self.items)) if item.index not in chosen)
        return (*(Importance(index, reason) for index, reason in chosen.items()), *more)[: self.k]

    def without_model(self) -> tuple[Importance, ...]:
        """Return the items with words of urgency and consequence, then those that represent most others."""
        return most_important(self.items, self.k)


def _chosen(ranked: object, job: ImportanceJob) -> dict[int, str]:
    """Return the reasons of the chosen items, by their positions in the job."""
    chosen: dict[int, str] = {}
    for item in ranked if isinstance(ranked, list) else ():
        number, why = (item.get("number"), item.get("why")) if isinstance(item, dict) else (item, "")
        if isinstance(number, int) and 1 <= number <= len(job.items):
            chosen.setdefault(number - 1, one_line(why, LONGEST_REASON))
    return chosen


def _around(job: ImportanceJob) -> Sequence[Source]:
    return (Source("introduction", job.introduction),) if job.introduction.strip() else ()
