"""One answer made of the answers of a panel's members, with the dissent of single members (document 000 §1.2)."""

import re
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.tasks import Dissent, Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.tasks.panel import dissenting, merged, side_by_side
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 3_000
SCHEMA: Final = closed("merged_answer", merged=TEXT, dissent=listed(record(voice=TEXT, text=TEXT)))
_TITLE = re.compile(r"^## .*$", re.MULTILINE)
"""Pattern of a heading between the parts of an answer."""
_NOTHING: Final = frozenset({"", "-", "none", "null", "n/a", "なし", "該当なし", "特になし"})


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged answer, and the objections of single members to the answers of the others."""

    text: str
    dissent: tuple[Dissent, ...]
    """Dissent of single members, in the order of the job's voices."""


@dataclass(frozen=True, slots=True)
class MergeJob(Job[Merged]):
    """The job of merging the answers of a panel's members to one question, with the dissent of single members."""

    question: str
    voices: tuple[Voice, ...]
    """Answers of the members. They contain no labels, because each member has sources of its own."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        voices = [Source(label, _said(voice)) for label, voice in _labelled(self).items()]
        question = FencedText("question", self.question)
        return prompt("answer_merge").request(TOKENS, {"voices": voices, "question": question}, schema=SCHEMA)

    def read(self, reply: ChatReply) -> Merged:
        """Return the merged answer and the dissent in a reply, which must contain a JSON object with an answer.

        The dissent may be an object by label, or a list of objects with "voice" and "text". Dissent with an unknown
        label or without text is left out.
        """
        for pairs in reply.objects():
            said = pairs.get("merged")
            if isinstance(said, str) and (answer := without_citations(said).strip()):
                held = _dissent(pairs.get("dissent"))
                voices = _labelled(self).items()
                return Merged(answer, tuple(dissenting(voice, held[label]) for label, voice in voices if label in held))
        raise UnreadableReplyError("no merged answer")

    def if_unread(self) -> Merged:
        """Return the voices one after the other."""
        return Merged(side_by_side(self.voices), ())

    def without_model(self) -> Merged:
        """Return the statements that at least two voices share, followed by the statements of single voices.

        A statement that at least as many voices contradict as support becomes dissent. The text says that no language
        model merged the answers. If all answers are empty, it says that nothing was found.
        """
        language = framing.language(self.question)
        substances = (_TITLE.sub("", framing.substance(voice.answer, self.question)) for voice in self.voices)
        spoken = zip(self.voices, substances, strict=True)
        text, dissent = merged([voice.model_copy(update={"answer": said}) for voice, said in spoken])
        if not (text or dissent):
            return Merged(framing.NOTHING[language], ())
        return Merged(f"{framing.COMPARED[language]}\n{text or framing.DIVIDED[language]}", dissent)


def _labelled(job: MergeJob) -> dict[str, Voice]:
    return {f"v{number}": voice for number, voice in enumerate(job.voices, 1)}


def _said(voice: Voice) -> str:
    """Return a voice's answer, and what it contradicts if it has read the answers of the others."""
    against = voice.revision.contradicts if voice.revision else ""
    return f"{voice.answer}\n(Having read the others, it contradicts: {against})" if against else voice.answer


def _dissent(value: object) -> dict[str, str]:
    if isinstance(value, list):
        value = {entry.get("voice"): entry.get("text") for entry in value if isinstance(entry, dict)}
    pairs = value.items() if isinstance(value, dict) else ()
    found = {
        str(label).strip().casefold(): without_citations(text).strip() for label, text in pairs if isinstance(text, str)
    }
    return {label: text for label, text in found.items() if text.strip(" .。").casefold() not in _NOTHING}
