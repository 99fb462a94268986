"""The answer of a panel member after it has read the answers of the others (document 000 §1.2)."""

from dataclasses import dataclass
from typing import Final

from nemuri_contracts.tasks import Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.sentences import normalised
from nemuri_domain.tasks.panel import seat
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, one_of
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 3_000
_POSITIONS: Final = ("stands", "revised")
SCHEMA: Final = closed("panel_rebuttal", position=one_of(*_POSITIONS), answer=TEXT, takes_over=TEXT, contradicts=TEXT)
UNREAD: Final = "the reply of the model could not be read"
_NOTHING: Final = frozenset({"", "-", "none", "nothing", "null", "n/a", "なし", "該当なし", "特になし"})


@dataclass(frozen=True, slots=True)
class Rebuttal:
    """A panel member's reply to the answers of the others."""

    answer: str
    """Its answer now; the first one if it stands by it."""
    stands: bool
    takes_over: str = ""
    contradicts: str = ""
    problem: str = ""
    """Why it could not weigh the answers of the others; "" if it did."""


@dataclass(frozen=True, slots=True)
class RebutJob(Job[Rebuttal]):
    """The job of weighing the answers of a panel's other members, for a member with its first answer."""

    role: str
    system_prompt: str
    perspective: str | None
    question: str
    own: str
    """Answer of the member, without labels."""
    others: tuple[Voice, ...]
    """Answers of the other members, without labels."""
    memories: tuple[Source, ...] = ()
    """Memories from which the member answered, labelled m1, m2, …"""

    def chat_request(self) -> ChatRequest:
        """Return the request. The answers of the others are data, labelled by their authors."""
        others = [Source(f"v{number}", voice.answer, origin=seat(voice)) for number, voice in enumerate(self.others, 1)]
        angle = f"Look at it from this perspective: {normalised(self.perspective)}" if self.perspective else ""
        return prompt("panel_rebuttal").request(
            TOKENS,
            {
                "instructions": self.system_prompt.strip(),
                "role": self.role,
                "memories": self.memories,
                "own": Source("yours", self.own),
                "others": others,
                "perspective": angle,
                "question": FencedText("question", self.question),
            },
            schema=SCHEMA,
        )

    def read(self, reply: ChatReply) -> Rebuttal:
        """Return the rebuttal in a reply, which must contain a JSON object that says what the member answers now.

        A member that stands by its answer keeps it word for word. So does one that "revises" it to the same text.
        """
        for said in reply.objects():
            position = str(said.get("position") or "").strip().casefold()
            answer = without_citations(_text(said.get("answer"))).strip()
            if position not in _POSITIONS or (position == "revised" and not answer):
                continue
            stands = position == "stands" or normalised(answer) == normalised(self.own)
            return Rebuttal(
                answer=self.own if stands else answer,
                stands=stands,
                takes_over=_reason(said.get("takes_over")),
                contradicts=_reason(said.get("contradicts")),
            )
        raise UnreadableReplyError("no position of the member")

    def if_unread(self) -> Rebuttal:
        """Return the member's answer as it is, with the problem."""
        return Rebuttal(self.own, stands=True, problem=UNREAD)

    def without_model(self) -> Rebuttal:
        """Return the member's answer as it is: only a language model can weigh the answers of others."""
        return Rebuttal(self.own, stands=True, problem=framing.UNWEIGHED[framing.language(self.question)])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _reason(value: object) -> str:
    text = without_citations(_text(value)).strip()
    return "" if text.strip(" .。").casefold() in _NOTHING else text
