"""The notes of an answering model beside its answer: a question instead of it, and signs of trouble after it.

The module contains the parts of the prompt and the parsers of the reply (document 000 §1.2.4).
"""

import re
from collections.abc import Container, Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from nemuri_contracts.clarifications import MAX_OPTIONS, QUESTION_LIMIT, Clarification, ClarificationRequest
from nemuri_contracts.trouble_signs import MAX_SIGNS, Sign
from nemuri_infra.models.chat import OnText
from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import PromptPart, prompt

_ANSWERED: Final = "The answer is at the end of the question, or the last detail. Work with both."
_EXPIRED: Final = "Nobody answered in time. Work on your assumption, which follows it. The reader is told."
_NOTE: Final = re.compile(r"(?:^|\n)\s*(?:\{|```json)")
_LAST: Final = re.compile(r"\n*(?:```(?:json)?\s*)?(\{\s*\"signs\"\s*:.*\})\s*(?:```)?\s*\Z", re.DOTALL)


def asked(clarification: Clarification | None) -> str | PromptPart:
    """Return the paragraph about the question that the agent asked before; empty if it asked none."""
    if clarification is None:
        return ""
    texts = [FencedText("asked", clarification.request.question)]
    if clarification.answer is None:
        texts.append(FencedText("assumption", clarification.request.assumption))
    outcome = _EXPIRED if clarification.answer is None else _ANSWERED
    return prompt("answer_asked").part({"outcome": outcome, "asked": texts})


def read_request(text: str) -> ClarificationRequest | None:
    """Return the question that a reply asks instead of an answer; None if the reply is an answer.

    A reply counts as a question only if it is nothing but the JSON object, bare or in a code fence. A question without
    a question or an assumption is none.
    """
    bare = re.sub(r"\A```(?:json)?|```\Z", "", text.strip()).strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    said = next((pairs["clarification"] for pairs in find_objects(bare) if "clarification" in pairs), None)
    if not isinstance(said, Mapping):
        return None
    listed = said.get("options")
    options = [one_line(option, QUESTION_LIMIT) for option in listed] if isinstance(listed, list) else []
    try:
        return ClarificationRequest(
            question=one_line(said.get("question"), QUESTION_LIMIT),
            assumption=one_line(said.get("assumption"), QUESTION_LIMIT),
            options=tuple(dict.fromkeys(option for option in options if option))[:MAX_OPTIONS],
        )
    except ValidationError:
        return None


def read_signs(text: str, labels: Container[str]) -> tuple[str, tuple[Sign, ...]]:
    """Return the answer without its last line of signs, and the signs.

    Signs without text, of an unknown kind, and labels that are not in `labels` are left out. If the reply has no such
    line, or one that cannot be parsed, there are no signs.
    """
    found = _LAST.search(text)
    if found is None:
        return text, ()
    answer = text[: found.start()].rstrip()
    if not answer:
        return text, ()
    pairs = next((said for said in find_objects(found[1]) if "signs" in said), None)
    listed = pairs.get("signs") if pairs is not None else None
    return answer, tuple(_signs(listed, labels))[:MAX_SIGNS] if isinstance(listed, list) else ()


def _signs(listed: list[object], known: Container[str]) -> Iterator[Sign]:
    for entry in listed:
        if not isinstance(entry, dict):
            continue
        named = entry.get("labels")
        labels = [label for label in named if label in known][:8] if isinstance(named, list) else []
        try:
            yield Sign(kind=entry.get("kind"), text=one_line(entry.get("text"), 1_000), labels=tuple(labels))
        except ValidationError:
            continue


def prose_only(on_text: OnText) -> OnText:
    """Return a function that passes on the pieces of an answer, but no question and no line of signs."""
    said = ""

    async def forward(start: int, piece: str) -> None:
        nonlocal said
        shown, said = len(_prose(said[:start])), said[:start] + piece
        if rest := _prose(said)[shown:]:
            await on_text(shown, rest)

    return forward


def _prose(text: str) -> str:
    """Return the text up to the first line that begins with a brace or a code fence of JSON."""
    return _NOTE.split(text, maxsplit=1)[0]
