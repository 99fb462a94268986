"""Notes on one part of documents, for a request about the documents as a whole (document 000 §3.9)."""

import re
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models import extractive_overview
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.cited_texts import NoteText
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source

_LABELS = re.compile(r"\s*[\[［【]\s*(p[0-9]{1,4}(?:\s*[,;、，；–-]?\s*p?[0-9]{1,4})*)\s*[\]］】]", re.IGNORECASE)
_CUT: Final = "(The notes on this part stopped at their token limit; there is more.)"
_NUMBER = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class NotesJob(Job[tuple[NoteText, ...]]):
    """The job of taking notes on consecutive parts of longer documents, for a request about them as a whole."""

    slow = True

    request: str
    kind: OverviewKind
    sources: tuple[Source, ...]
    """Passages, labelled "p1", "p2", …, in the order of the documents."""
    tokens: int
    """Approximate maximum tokens of all notes together."""

    def chat_request(self) -> ChatRequest:
        """Return the request. The reply may be twice as long as wanted before it is cut."""
        wanted = f"Wanted: {self.kind}. Length: at most about {self.tokens} tokens."
        values: Values = {"passages": self.sources, "wanted": wanted, "request": FencedText("request", self.request)}
        return prompt("overview_notes").request(2 * self.tokens, values)

    def read(self, reply: ChatReply) -> tuple[NoteText, ...]:
        """Return the notes of a reply, one for each line with content, with the labels in brackets that the job knows.

        Lines without a list marker count too, because not every model writes it; headings and introductions that end
        with a colon do not.
        """
        known = {source.label: None for source in self.sources}
        found = []
        for line in reply.text.splitlines():
            labels = [f"p{number}" for match in _LABELS.finditer(line) for number in _NUMBER.findall(match.group(1))]
            text = normalised(_LABELS.sub("", line[marker_end(line, 0, len(line)) :]))
            if not any(map(str.isalnum, text)) or text.startswith("#") or (not labels and text.endswith((":", "："))):
                continue
            held = tuple(dict.fromkeys(label for label in labels if label in known))
            found.append(NoteText(text, held or tuple(known)))
        if reply.truncated:
            found.append(NoteText(_CUT, tuple(known)))
        return tuple(found)

    def without_model(self) -> tuple[NoteText, ...]:
        """Return sentences of the sources: the most telling ones of each, or all that match the request's subject.

        If not all matching sentences fit, the last note gives the number of the others.
        """
        return extractive_overview.notes(self.request, self.kind, self.sources, self.tokens)
