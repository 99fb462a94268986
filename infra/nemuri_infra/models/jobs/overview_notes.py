"""Notes on one part of documents, for a request about the documents as a whole (document 000 §3.9)."""

import re
from typing import Final

from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.reading_jobs import NotesJob, NoteText

_LABELS = re.compile(r"\s*[\[［【]\s*(p[0-9]{1,4}(?:\s*[,;、，；–-]?\s*p?[0-9]{1,4})*)\s*[\]］】]", re.IGNORECASE)
_CUT: Final = "(The notes on this part stopped at their token limit; there is more.)"
_NUMBER = re.compile(r"[0-9]{1,4}")


def request(job: NotesJob) -> ChatRequest:
    """Return the request for a job. The reply may be twice as long as wanted before it is cut."""
    wanted = f"Wanted: {job.kind}. Length: at most about {job.tokens} tokens."
    values: Values = {"passages": job.sources, "wanted": wanted, "request": Quote("request", job.request)}
    return prompt("overview_notes").request(2 * job.tokens, values)


def read(reply: ChatReply, job: NotesJob) -> tuple[NoteText, ...]:
    """Return the notes of a reply, one for each line with content, with the labels in brackets that the job knows.

    Lines without a list marker count too, because not every model writes it; headings and introductions that end with
    a colon do not.
    """
    known = {each.label: None for each in job.sources}
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
