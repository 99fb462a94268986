"""Tolerant parsers of structured replies. They leave out the parts that cannot be parsed."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from nemuri_contracts.tasks import Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.json_objects import find_objects
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.tasks.panel import dissenting
from nemuri_infra.models.protocol import Learned, Merged

_LINE = re.compile(r"[\s\-*•・{,]*[\"'“「`]?(?P<name>[^:：\n]{1,200}?)[\"'”」`*]*\s*[:：]\s*(?P<value>\S.*)")
HAPPENED: Final = "what happened"
"""Key under which a reply says what happened."""
_NOTHING: Final = frozenset({"", "-", "none", "null", "n/a", "なし", "該当なし", "特になし"})


def read_learned(text: str, perspectives: Sequence[str]) -> Learned:
    """Return the learnings in a reply (`read_learnings`), and its account of what happened, if it has one."""
    accounts = (pairs.get(HAPPENED) for pairs in find_objects(text))
    happened = next((each for each in accounts if isinstance(each, str)), "")
    return Learned(read_learnings(text, perspectives), normalised(without_citations(happened)))


def read_learnings(text: str, perspectives: Sequence[str]) -> dict[str, str]:
    """Return the sentence of each perspective in a reply, by perspective, in the order of `perspectives`.

    The reply may be a JSON object that is fenced, surrounded by prose or nested one level deep. If there is none, lines
    "perspective: …" are parsed. Names are compared without case and outer white space. Perspectives without a sentence,
    unknown names, empty values and "none" are left out. Labels in brackets, such as `[m3]`, are removed from the
    sentences.
    """
    known = {perspective.strip().casefold(): perspective for perspective in perspectives}
    best: dict[str, str] = {}
    for pairs in list(find_objects(text)) or [_lines(text)]:
        found = _matching(pairs, known)
        if len(found) > len(best):
            best = found
    return {perspective: best[perspective] for perspective in perspectives if perspective in best}


def read_merged(text: str, voices: Mapping[str, Voice]) -> Merged | None:
    """Return the merged answer and the dissent in a reply; None if no JSON object in it contains an answer.

    `voices` are the voices by label. The dissent may be an object by label, or a list of objects with "voice" and
    "text". Dissent with an unknown label or without text is left out.
    """
    for pairs in find_objects(text):
        said = pairs.get("merged")
        if isinstance(said, str) and (answer := without_citations(said).strip()):
            held = _dissent(pairs.get("dissent"))
            dissent = (dissenting(voice, held[label]) for label, voice in voices.items() if label in held)
            return Merged(answer, tuple(dissent))
    return None


def _dissent(value: object) -> dict[str, str]:
    if isinstance(value, list):
        value = {each.get("voice"): each.get("text") for each in value if isinstance(each, dict)}
    pairs = value.items() if isinstance(value, dict) else ()
    found = {
        str(label).strip().casefold(): without_citations(text).strip() for label, text in pairs if isinstance(text, str)
    }
    return {label: text for label, text in found.items() if text.strip(" .。").casefold() not in _NOTHING}


def _lines(text: str) -> Mapping[str, object]:
    matches = (_LINE.match(line.strip()) for line in text.splitlines())
    return {match["name"]: match["value"].rstrip("\"'`,} ").lstrip("\"'`* ") for match in matches if match}


def _matching(pairs: Mapping[str, object], known: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs.items():
        perspective = known.get(name.strip().casefold())
        if perspective is None or not isinstance(value, str):
            continue
        sentence = next(iter(sentences(without_citations(value))), "")
        if sentence.strip(" .。").casefold() not in _NOTHING:
            found[perspective] = sentence
    return found
