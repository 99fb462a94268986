"""The retrieval index of strength memory: stage 1 of retrieval, which finds memories by words and by vectors."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting, Turn
from nemuri_domain.language.relevance import WordPairs, alignments, relevance
from nemuri_domain.language.word_table import word_table
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.strength.aggregate import Content, Memory, RankedState
from nemuri_domain.strength.best_rows import best_rows
from nemuri_domain.strength.candidates import Candidates
from nemuri_domain.strength.conversation_order import UNKNOWN_POSITION, ConversationOrder
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.ranked_memory import Ranked, RankedContent, ranked_state
from nemuri_domain.strength.search_limits import ALWAYS, UNLIMITED, SearchLimits, Times, times_of
from nemuri_domain.strength.search_texts import SearchTexts

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

SHORTLIST: Final = 80
"""Minimum number of memories by vectors, and as many by BM25, whose words are aligned with each text of a query."""
NEGLIGIBLE: Final = 0.4
"""Share of the highest score of a channel below which a memory is not looked at closely."""
DIGITS: Final = 5
"""Decimal places of a cosine and of a relevance, so that equal texts are equal in every row."""
LEXICAL: Final = 3.5
"""Weight of the squared share of the BM25 score in the order. Squared, it counts where a memory has most words of a
request, and hardly where it shares a word or two (decision 98).
"""
RELATIVE_RELEVANCE_FLOOR: Final = 0.25
"""Minimum relevance of a candidate as a share of the best candidate's relevance. It applies only with a floor above
0.
"""
COLUMNS: Final = np.dtype(
    [
        ("active", "?"), ("absorbed", "?"), ("stand_in", "O"), ("scope", "i4"), ("source", "i4"),
        ("conversation", "i4"), ("position", "i4"), ("begin", "f8"), ("end", "f8"), ("expiry", "f8"),
        ("principle", "?"), ("content", "O"), ("state", "O"),
    ]
)  # fmt: skip
"""Columns of the index. `stand_in` has the bytes of the id of the memory that stands for an absorbed one, b"" for none;
`begin`, `end` and `expiry` are the times from and until which a memory says that it holds, and from which it is of no
use, in seconds since 1970;
`content` and `state` are what ranking reads of a memory, as short JSON documents.
"""
NAMES: Final = ("scope", "source", "conversation")
"""Columns of names: level and name of a scope that is not universal; a source; source and name of a conversation.
Sources have conversations of their own, even with the same name.
"""
_NONE: Final = np.zeros(0, np.float32)
_NO_ALIGNMENT: Final = np.zeros(1, np.float32)
_NOTHING: Final = Candidates((), _NONE, _NONE, _NONE, _NONE)


class StrengthIndex(MemoryIndex):
    """In-process index of all memories of one agent: exact cosine, and BM25 over stemmed words and CJK bigrams.

    The relevance of a memory to a text depends on these two alone, not on the other memories. BM25 chooses, beside the
    vectors, which memories are looked at closely, and adds to their order. It counts document frequencies over all
    memories, also archived ones and those of other scopes, so that a change of one memory's status does not change what
    is found. Not thread-safe. Memory per row: 4 bytes × `dimension`, and about 1 KB for 200 characters of Japanese
    (`bench/retrieval.py`).
    """

    def __init__(self, dimension: int) -> None:
        """Create an empty index for vectors of this dimension."""
        super().__init__(dimension, COLUMNS, NAMES)

    def add(
        self,
        ids: Sequence[UUID],
        vectors: Floats,
        texts: Sequence[str],
        *,
        contents: Sequence[RankedContent] | None = None,
        scopes: Sequence[Scope] | None = None,
        sources: Sequence[str] | None = None,
        turns: Sequence[Turn | None] | None = None,
        times: Sequence[Times] | None = None,
    ) -> None:
        """Add memories, or replace those that the index has.

        `vectors` are unit vectors, shape (n, dimension); a zero row means that a memory has no vector. `texts` are the
        texts for the lexical index, and `contents` what ranking reads of them. By default memories are universal,
        without a source and from no conversation, and hold always. They are active until their states are set. Raises
        ValueError, before anything changes, if lengths or the dimension do not match or a number is not finite.
        """
        number = len(ids)
        none = [None] * number
        always = times or [ALWAYS] * number
        values = zip(contents or none, scopes or none, sources or [""] * number, turns or none, always, strict=True)
        self.put(ids, [_values(*memory) for memory in values], np.asarray(vectors, np.float32), texts)

    def remember(self, contents: Sequence[Content], vectors: Floats) -> None:
        """Add the memories with these contents, or replace those that the index has; see `add`."""
        memories = [content.memory for content in contents]
        self.add(
            [content.memory_id for content in contents],
            vectors,
            [indexed_text(memory) for memory in memories],
            contents=[RankedContent.of(content) for content in contents],
            scopes=[memory.scope for memory in memories],
            sources=[content.origin.source for content in contents],
            turns=[memory.turn for memory in memories],
            times=[times_of(memory) for memory in memories],
        )

    def set_states(self, states: Collection[Memory]) -> None:
        """Set the states of memories, by which they are searched and ranked. Unknown ids are ignored."""
        stand_ins = [state.absorbed_by if state.status == "absorbed" else None for state in states]
        self.update(
            [state.memory_id for state in states],
            active=[state.status == "active" for state in states],
            absorbed=[state.status in {"absorbed", "split"} for state in states],
            stand_in=[memory_id.bytes if memory_id else b"" for memory_id in stand_ins],
            state=[ranked_state(state) for state in states],
        )

    def ranked(self, memory_id: UUID) -> Ranked:
        """Return what ranking reads of a memory. Raises KeyError if it is unknown, and ValueError if it has no content
        or no state.
        """
        if (row := self.row(memory_id.bytes)) is None:
            raise KeyError(memory_id)
        memory = self.features[row]
        return RankedContent.model_validate_json(memory["content"]), RankedState.model_validate_json(memory["state"])

    def principles(self) -> list[UUID]:
        """Return the ids of the memories that come from a definition of the agent, also of archived ones."""
        return [self.id(row) for row in np.flatnonzero(self.features["principle"]).tolist()]

    def eligible(
        self, setting: Setting | None = None, *, active: bool = True, limits: SearchLimits = UNLIMITED
    ) -> Mask:
        """Return the mask of rows to search: active memories (archived ones if `active` is False) whose scope is valid
        in the setting and that are within the limits. Of an absorbed memory, all this is that of the memory that stands
        for it.

        Universal memories are valid in every setting. Without a setting, memories of all scopes are. Masks can be
        combined with & | ~ and are valid until the index changes.
        """
        mask: Mask = (self.features["active"] == active) & limits.allow(self.ids, self.features)
        if setting is not None and len(self.names["scope"]) > 1:
            names = [None, ("project", setting.project), *(("domain", domain) for domain in setting.domains)]
            mask &= self.among("scope", names)
        stand_ins = self._stand_ins
        return mask if stand_ins is None else mask[stand_ins] & (stand_ins >= 0)

    def search(
        self,
        asked: SearchTexts,
        *,
        floor: float = 0.0,
        mask: Mask | None = None,
        limit: int = 50,
        share: float = 1.0,
    ) -> Candidates:
        """Return the `limit` most relevant rows under the mask (default `eligible()`) for the texts of a query.

        The relevance of a row is that to the text to which it is most relevant (`nemuri_domain.language.relevance`).
        The result is empty, but for the `nearest` memory, if no row has a relevance of at least `floor` to a text that
        decides. With a floor, rows far less relevant than the best one (`RELATIVE_RELEVANCE_FLOOR`) are left out. A
        source gets at most `share` of the limit while other sources have candidates. The cost is linear in the number
        of texts. Raises ValueError if the vectors have another dimension than the index.
        """
        similarity, lexical = self.cosines(asked.vectors).T.round(DIGITS), self._lexical(asked)
        rows = np.flatnonzero(self.eligible() if mask is None else mask)
        if not len(rows) or limit < 1:
            return _NOTHING
        if len(rows) < len(self):
            similarity, lexical = similarity[:, rows], lexical[:, rows]
        most = max(SHORTLIST, limit)
        chosen = np.unique(np.concatenate([_highest(scores, most) for scores in (*similarity, *lexical)]))
        if not len(chosen):
            return replace(_NOTHING, nearest=(self.id(rows[0]), 0.0) if floor else None)
        near, (aligned, rare) = similarity[:, chosen], self._aligned(asked, rows[chosen])
        # The memory nearest to a text is among the chosen ones, and no other one is as relevant to it.
        best = (asked.weights * relevance(near, aligned, asked.scale))[asked.decisive].max(axis=0, initial=0.0)
        if floor and best.max() < floor:
            return replace(_NOTHING, nearest=(self.id(rows[chosen[best.argmax()]]), float(best.max())))
        relevant = _in_context(asked, similarity, lexical, _NO_ALIGNMENT)
        relevant[chosen] = _in_context(asked, near, lexical[:, chosen], rare)
        joined, supported = self._with_neighbours(rows, relevant)
        standing, joined, hit = self._standing(rows, joined, (relevant > 0) | supported)
        least = RELATIVE_RELEVANCE_FLOOR if floor else 0.0
        hits = np.flatnonzero(hit & (joined >= least * joined.max()))
        order = best_rows(self, standing, joined, hits, limit, share)
        return self._described(asked, standing[order], joined[order], (rows[chosen], aligned))

    def _lexical(self, asked: SearchTexts) -> Floats:
        """Return the BM25 score of each row for each text, as a share of the highest possible one."""
        scores, highest = self.postings.scores_and_limits(asked.terms, len(self))
        scores /= np.where(highest > 0, highest, 1)[:, None]
        return scores

    def _aligned(self, asked: SearchTexts, rows: Rows) -> tuple[Floats, Floats]:
        """Return the alignment of each text with each of the rows, absolute, and by the rarity of words here."""
        pairs = WordPairs.of(word_table(), asked.words, self.words.of(rows.tolist()))
        weights = word_table().importance(pairs.asked)
        return pairs.alignments(weights), pairs.alignments(weights * self.words.rarity(pairs.asked, len(self)))

    def _with_neighbours(self, rows: Rows, relevance: Floats) -> tuple[Floats, Mask]:
        """Return the relevance of the rows with that of their neighbours in conversations, and which rows have a
        neighbour that is relevant.
        """
        order = self.derived(("conversation", "position"), _conversations)
        if not len(order.rows):
            return relevance, np.zeros(len(rows), np.bool_)
        every, searched = np.zeros(len(self), np.float32), np.zeros(len(self), np.bool_)
        every[rows], searched[rows] = relevance, True
        joined, supported = order.spread(every, every > 0, searched)
        return joined[rows], supported[rows]

    @property
    def _stand_ins(self) -> Rows | None:
        """Return for each row the row of the memory that stands for its memory, -1 if there is none; None if no memory
        is absorbed.
        """
        return self.derived(("absorbed", "stand_in"), _stand_ins)

    def _standing(self, rows: Rows, relevance: Floats, hits: Mask) -> tuple[Rows, Floats, Mask]:
        """Return the rows, ascending, with those of absorbed memories replaced by the rows that stand for them.

        A row that stands for several has the highest relevance of these, and is a hit if one of these is.
        """
        stand_ins = self._stand_ins
        if stand_ins is None:
            return rows, relevance, hits
        others = stand_ins[rows]
        highest, hit = np.full(len(self), -np.inf, np.float32), np.zeros(len(self), np.bool_)
        np.maximum.at(highest, others, relevance)
        np.logical_or.at(hit, others, hits)
        standing = np.unique(others)
        return standing, highest[standing], hit[standing]

    def _described(self, asked: SearchTexts, rows: Rows, joined: Floats, known: tuple[Rows, Floats]) -> Candidates:
        """Return the candidates in these rows, with their exact relevance, also of those that only neighbours chose.

        `known` are the rows, ascending, whose alignment is known, and these alignments.
        """
        similarity = asked.vectors @ self.vectors.of(rows).T
        at = np.searchsorted(known[0], rows).clip(max=len(known[0]) - 1)
        aligned, fresh = known[1][:, at], known[0][at] != rows
        words = self.words.of(rows.tolist())
        if fresh.any():
            others = [words[number] for number in np.flatnonzero(fresh).tolist()]
            aligned[:, fresh] = alignments(word_table(), asked.words, others)
        relevant = (asked.weights * relevance(similarity, aligned, asked.scale)).max(axis=0)
        ids = tuple(self.id(row) for row in rows.tolist())
        return Candidates(ids, similarity.max(axis=0), aligned.max(axis=0), relevant, joined, words)


def _values(
    content: RankedContent | None, scope: Scope | None, source: str, turn: Turn | None, times: Times
) -> tuple[object, ...]:
    """Return the values of the `COLUMNS` of a memory that is active and has no state yet."""
    level = None if scope is None or scope.level == "universal" else (scope.level, scope.name)
    conversation = None if turn is None else (source, turn.conversation)
    position = UNKNOWN_POSITION if turn is None or turn.position is None else turn.position
    document = b"" if content is None else content.model_dump_json(exclude_defaults=True).encode()
    principle = content is not None and content.principle is not None
    return True, False, b"", level, source or None, conversation, position, *times, principle, document, b""


def _in_context(asked: SearchTexts, similarity: Floats, lexical: Floats, rare: Floats) -> Floats:
    """Return the relevance by which memories are ordered, with these alignments by the rarity of words."""
    ranked = relevance(similarity, rare, asked.scale) + LEXICAL * lexical**2
    found: Floats = (asked.weights * ranked).max(axis=0).round(DIGITS)
    return found


def _conversations(index: MemoryIndex) -> ConversationOrder:
    return ConversationOrder.of(index.features["conversation"], index.features["position"])


def _stand_ins(index: MemoryIndex) -> Rows | None:
    features = index.features
    absorbed = np.flatnonzero(features["absorbed"]).tolist()
    others = {row: index.row(features["stand_in"][row]) for row in absorbed}
    rows = np.arange(len(index))
    for row in absorbed:
        at: int | None = row
        passed = set[int]()
        while at is not None and at in others and at not in passed:
            passed.add(at)
            at = others[at]
        rows[row] = -1 if at is None or at in passed else at
    return rows if absorbed else None


def _highest(scores: Floats, most: int) -> Rows:
    """Return the places of the `most` highest scores, without those far below the highest one."""
    places = np.flatnonzero(scores > max(0.0, NEGLIGIBLE * float(scores.max())))
    if len(places) > most:
        places = places[np.argpartition(scores[places], -most)[-most:]]
    return places
