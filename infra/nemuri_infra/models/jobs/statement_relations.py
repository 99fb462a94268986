"""Comparison of new statements with older ones, by a language model and by words."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from nemuri_domain.language.statement_comparison import Compared, Comparison
from nemuri_domain.strength.statement_rules import compared_by_rules
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed, one_of, record
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 2_000
SCHEMA: Final = closed(
    "relations", pairs=listed(record(first=TEXT, second=TEXT, relation=one_of(*get_args(Comparison)), reason=TEXT))
)

_WORDS: Final[Mapping[str, Comparison]] = {comparison: comparison for comparison in get_args(Comparison)}
_SYNONYMS: Final[Mapping[str, Comparison]] = {
    "contradict": "contradicts",
    "supersede": "supersedes",
    "refine": "refines",
    "identical": "same",
}
_PAIR = re.compile(
    r"[\"'`(\[]*(?P<new>[a-z]\d{1,4})\s*(?:[-=~]*>|→|[:,/|&]|\s|vs\.?)+\s*(?P<old>[a-z]\d{1,4})[\"'`)\]]*"
    r"\s*(?:[:=：]|->|→|is)?\s*[\"'`]*(?P<word>[a-z]+)(?:\x1f(?P<why>[^\n]*))?",
    re.IGNORECASE,
)


Comparisons = Mapping[tuple[str, str], Compared]
"""Relation of a pair's first statement to its second, by pair of labels. A missing pair is unrelated."""
REASON: Final = 200
"""Maximum characters of a reason."""


@dataclass(frozen=True, slots=True)
class RelationsJob(Job[Comparisons]):
    """The job of comparing pairs of statements: new ones with older ones, or with each other."""

    slow = True

    new: tuple[Source, ...]
    """New statements, with labels "n1", "n2", …"""
    older: tuple[Source, ...]
    """Older statements, with labels "o1", "o2", …"""
    pairs: tuple[tuple[str, str], ...]
    """Pairs of labels to compare. The first is a new statement, the second an older one or an earlier one in `new`."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        pairs = "\n".join(f"- {new} > {old}" for new, old in self.pairs)
        return prompt("statement_relations").request(
            TOKENS, {"statements": (*self.new, *self.older), "pairs": pairs}, schema=SCHEMA
        )

    def read(self, reply: ChatReply) -> Comparisons:
        """Return the comparisons in a reply. Pairs that are not in the job are ignored.

        The reply may be an object with a list of pairs, or an object by pair, which may be fenced, surrounded by prose,
        or nested by the label of the new statement. If there is none, lines "n1 > o1: same" are parsed. If a pair
        occurs twice, the last comparison counts. Unrelated pairs and pairs that cannot be parsed are left out. A reply
        without any pair of the job must be an object with an empty list.
        """
        known = set(self.pairs)
        found: dict[tuple[str, str], Compared] = {}
        cut = reply.listed("pairs")
        for match in _PAIR.finditer(_flat(reply.text if cut is None else json.dumps({"pairs": cut}))):
            pair = (match["new"].casefold(), match["old"].casefold())
            word = match["word"].casefold()
            comparison = _WORDS.get(word) or _SYNONYMS.get(word)
            if pair in known and comparison:
                found[pair] = Compared(comparison, match["why"] or "")
        if not found and cut != []:
            raise UnreadableReplyError("no pair of statements")
        return {pair: compared for pair, compared in found.items() if compared.comparison != "unrelated"}

    def without_model(self) -> Comparisons:
        """Return the comparisons of the pairs, decided by their words alone. Unrelated pairs are left out."""
        texts = {source.label: source.text for source in (*self.new, *self.older)}
        said = {(new, old): compared_by_rules(texts[new], texts[old]) for new, old in self.pairs}
        return {pair: compared for pair, compared in said.items() if compared.comparison != "unrelated"}


def _reason(pair: Mapping[str, object]) -> str:
    return " ".join(str(pair.get("reason") or "").split())[:REASON]


def _flat(text: str) -> str:
    """Return the JSON object in a reply as lines "n1 > o1: same". A reply without an object is returned unchanged."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    lines = []
    for name, inner in value.items():
        if isinstance(inner, list):
            pairs = (pair for pair in inner if isinstance(pair, dict))
            lines += [
                f"{pair.get('first')} > {pair.get('second')}: {pair.get('relation')}\x1f{_reason(pair)}"
                for pair in pairs
            ]
        elif isinstance(inner, dict):
            lines += [f"{name} > {old}: {word}" for old, word in inner.items()]
        else:
            lines.append(f"{name}: {inner}")
    return "\n".join(lines)
