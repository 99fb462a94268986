"""The lesson of a section of a textbook for an agent, by a language model (document 000 §4.1)."""

from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.retrieval.passage_ranking import CODE_FITNESS, most_central, most_related
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.extractive_answers import telling
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source

TOKENS: Final = 500
_NOTHING: Final = frozenset({"", "-", "none", "nothing", "なし", "該当なし", "特になし"})


@dataclass(frozen=True, slots=True)
class SectionJob(Job[str]):
    """The job of reading a section of a textbook that an agent studies under a perspective."""

    role: str
    perspective: str
    keywords: tuple[str, ...]
    """Keywords of the perspective; may be empty."""
    title: str
    text: str

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        words = f" ({', '.join(self.keywords)})" if self.keywords else ""
        values: Values = {
            "role": self.role,
            "title": FencedText("title", self.title),
            "section": Source("section", self.text),
            "perspective": f"{normalised(self.perspective)}{words}",
        }
        return prompt("section_note").request(TOKENS, values)

    def read(self, reply: ChatReply) -> str:
        """Return the note in a reply on one line; "" if the section teaches nothing. A cut-off note ends in "…"."""
        note = normalised(without_citations(reply.text)).strip(" \"'`")
        return "" if note.strip(" .。").casefold() in _NOTHING else f"{note}{'…' if reply.truncated else ''}"

    def without_model(self) -> str:
        """Return the section's most informative sentence, of those that share terms with the perspective if any do."""
        said = [passage for passage in telling((Source("", self.text),), ()) if passage.fitness > CODE_FITNESS]
        wanted = content_terms(" ".join((self.perspective, *self.keywords)))
        found = most_central(most_related(said, wanted) or said, content_terms(self.title))
        return found.text if found else ""
