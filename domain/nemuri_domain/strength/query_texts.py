"""The texts of a query: a message is heard in its parts (document 000 §3.4)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from nemuri_domain.language.request_items import read_listing, requests
from nemuri_domain.language.request_sentences import asks_for_something
from nemuri_domain.language.sentences import sentences
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.ranking import expanded
from nemuri_domain.strength.search_texts import QueryText

SUMMARY_EXPANSION: Final = "task summary"
"""Name of the expansion whose text is the task's summary (document 000 §3.6)."""
MAX_QUERY_ITEMS: Final = 20
"""Maximum number of items of a query that are searched separately. A task with more items opens a negotiation."""
MAX_PARTS: Final = 16
"""Maximum number of sentences and clauses of a message that are searched for. What asks for something comes first."""
BACKGROUND: Final = 0.75
"""Weight of a sentence that asks for nothing, in a message in which another sentence does."""
EXPANSION: Final = 0.5
"""Weight of an expansion."""
SHORT: Final = 160
"""Maximum number of characters of a message whose sentences are also searched for together."""
LONG_SENTENCE: Final = 120
"""Number of characters from which a sentence is also searched for clause by clause. In Japanese it is a half."""
_LEAST_CLAUSE: Final = 12
_CLAUSE = re.compile(r"[、；;：:—–]|,\s|\s-\s")
_WIDE = re.compile(r"[\u3041-\u9fff]")


@dataclass(frozen=True, slots=True)
class QueryTexts:
    """The texts to search for: the parts of the query, its items and its expansions."""

    query: str
    parts: tuple[QueryText, ...]
    """Sentences and clauses of the query, without those of its items."""
    items: tuple[str, ...] = ()
    """Requests that the query lists. Each is searched for with full weight."""
    expansions: Mapping[str, str] = field(default_factory=dict)
    """Expansions by name; the expansion by the summary comes first if there is one."""

    @property
    def every(self) -> tuple[QueryText, ...]:
        """Return all texts, each once: parts, items, expansions."""
        every = [*self.parts, *map(QueryText, self.items)]
        every += [
            QueryText(text, 1.0 if name == SUMMARY_EXPANSION else EXPANSION, decides=name == SUMMARY_EXPANSION)
            for name, text in self.expansions.items()
        ]
        first: dict[str, QueryText] = {}
        for part in every:
            first.setdefault(part.text, part)
        return tuple(first.values())


def query_texts(agent: Agent, query: str, summary: str | None = None) -> QueryTexts:
    """Return the texts for a query: its parts, its items, and expansions by the task's summary and by the agent's
    perspectives.
    """
    items = requests(query)[:MAX_QUERY_ITEMS]
    beyond = {SUMMARY_EXPANSION: summary} if summary else {}
    return QueryTexts(query, message_parts(query, items), items, beyond | expanded(agent, query))


def message_parts(query: str, items: Sequence[str] = ()) -> tuple[QueryText, ...]:
    """Return the sentences of a message, and the clauses of long ones; at most `MAX_PARTS`, what asks first.

    Sentences around a question are background and weigh less. A short message is also a part as a whole. Material that
    is listed counts by its `items` only.
    """
    around = read_listing(query).around if items else query
    said = sentences(around) or ([] if items else [query])
    asking = [sentence for sentence in said if asks_for_something(sentence)]
    others = [sentence for sentence in said if sentence not in asking]
    if not items and (len(query) <= SHORT or len(said) == 1):
        asking.insert(0, " ".join(query.split()))
    weight = BACKGROUND if asking else 1.0
    parts = [QueryText(text) for sentence in asking for text in (sentence, *_clauses(sentence))]
    parts += [QueryText(text, weight) for other in others for text in (other, *_clauses(other))]
    return tuple({part.text: part for part in reversed(parts)}.values())[::-1][:MAX_PARTS]


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the clauses of a long sentence."""
    if len(sentence) < (LONG_SENTENCE // 2 if _WIDE.search(sentence) else LONG_SENTENCE):
        return
    start = 0
    for match in _CLAUSE.finditer(sentence):
        if match.end() - start >= _LEAST_CLAUSE:
            yield sentence[start : match.start()].strip()
            start = match.end()
    if start and len(sentence) - start >= _LEAST_CLAUSE:
        yield sentence[start:].strip()
