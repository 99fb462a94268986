"""Places of a context that semantic memories save, and what becomes of recall, on facts that were told several times.

    python -m bench.meaning

The facts are those of `bench/experience_sets.py`: each is told four times in other words, and once there is a sentence
that differs in a number, a date or a negation only. Three states of the agent's memory are compared: as told; with the
semantic memories that the rules for words form; and with those that a judge would form who recognises every rewording
("all"), which is the most that a language model can save. An agent is asked for eight facts in one context of ten
places, and for each fact alone. A fact is recalled if one of its wordings, or its semantic memory, is found.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from statistics import mean
from uuid import UUID

from bench.experience_sets import FACTS, Fact, Language
from bench.measured_embedder import measured_on
from bench.measuring import save_figures
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.statement_comparison import compare_statements
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.extracted_learning_decision import is_comparable
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.query_texts import QueryTexts, message_parts
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import SearchTexts
from nemuri_domain.strength.semantic_groups import Pair, comparable_pairs, groups, may_agree
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

PLACES = 10
AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Figures of one state of the memory."""

    memories: int
    """Number of memories that can be recalled."""
    facts: float
    """Mean number of different facts among the ten places of a context."""
    recall: float
    """Share of the facts that are found when they are asked for alone."""
    recall_first: float
    """Share of the facts whose wording, or semantic memory, is the first result."""
    tokens: int
    """Mean length of a context in tokens, by the offline estimate."""
    wrong: int
    """Number of groups with memories that do not say the same."""


@dataclass(frozen=True, slots=True)
class Told:
    """The memories of an agent that was told the facts of one language, and their index."""

    facts: Sequence[Fact]
    memories: Sequence[Remembered]
    owner: Mapping[UUID, int | None]
    """Number of the fact that a memory says; None for a contrary sentence."""
    index: StrengthIndex
    embedder: CalibratedEmbedder


async def told(facts: Sequence[Fact], embedder: Embedder) -> Told:
    """Return an agent that was told these facts."""
    texts = [(text, number) for number, fact in enumerate(facts) for text in fact.wordings]
    texts += [(fact.contrary, None) for fact in facts]  # type: ignore[misc]
    memories = [_memory(number, text) for number, (text, _) in enumerate(texts, 1)]
    index = StrengthIndex(embedder.dimension)
    words = [text for text, _ in texts]
    calibrated = await measured_on(embedder, words)
    index.add([content.memory_id for content, _ in memories], await calibrated.documents(words), words)
    owner = {content.memory_id: fact for (content, _), (_, fact) in zip(memories, texts, strict=True)}
    return Told(facts, memories, owner, index, calibrated)


def _memory(number: int, text: str) -> Remembered:
    memory_id = UUID(int=number)
    content = Content(
        memory_id=memory_id, agent_id="bench", memory=MemoryContent(content=text), links=(), vector="-",
        source="manual", created_at=AT, created=number,
    )  # fmt: skip
    return content, Memory(
        memory_id=memory_id, agent_id="bench", stored_strength=0.0, perspectives={}, level=1, changed=number
    )


async def neighbourhoods(agent: Told) -> list[list[Remembered]]:
    """Return each memory with the similar ones, as the service finds them."""
    found = []
    known = {content.memory_id: (content, state) for content, state in agent.memories}
    for one in agent.memories:
        mine = one[0].memory.content
        near = await search(agent, mine, floor=0.0)
        others = [
            known[each]
            for each, similarity in near
            if each != one[0].memory_id
            and is_comparable(
                similarity, terms(mine), terms(known[each][0].memory.content), same=agent.embedder.thresholds.same
            )
        ]
        found.append([one, *others[:5]])
    return found


async def search(agent: Told, text: str, *, floor: float = RELEVANCE_FLOOR) -> list[tuple[UUID, float]]:
    """Return the ids of the memories found for a text, best first, each with its cosine."""
    items = requests(text)
    every = QueryTexts(text, message_parts(text, items), items).every
    vectors = await agent.embedder.queries([each.text for each in every])
    asked = SearchTexts.of(every, vectors, agent.embedder.calibration.scale)
    found = agent.index.search(asked, floor=floor, limit=50)
    return list(zip(found.ids, map(float, found.similarity), strict=True))


def compared(agent: Told, pairs: Sequence[Pair], *, everything: bool) -> dict[Pair, str]:
    """Return the pairs that say the same: by the rules for words, or, with `everything`, as the sets say."""
    texts = {content.memory_id: content.memory.content for content, _ in agent.memories}

    def same(one: UUID, other: UUID) -> bool:
        if everything:
            return agent.owner[one] is not None and agent.owner[one] == agent.owner[other]
        return compare_statements(texts[one], texts[other]) == "same"

    return {pair: "same" for pair in pairs if same(*pair)}


def merged(agent: Told, near: Sequence[Sequence[Remembered]], *, everything: bool) -> list[list[Remembered]]:
    """Return the groups that become semantic memories."""
    if everything:  # A judge knows the neighbours too that similarity does not bring up.
        by_fact = [
            [memory for memory in agent.memories if agent.owner[memory[0].memory_id] == fact] for fact in range(8)
        ]
        near = [[each for each in some if may_agree(some[0][0], each[0])] for some in by_fact]
    comparisons = compared(agent, comparable_pairs(near), everything=everything)
    return groups(near, comparisons, len(agent.memories))  # type: ignore[arg-type]


async def outcome(agent: Told, some: Sequence[Sequence[Remembered]]) -> Outcome:
    """Return the figures of the agent with these groups merged."""
    standing = {content.memory_id: content.memory_id for content, _ in agent.memories}
    for group in some:
        semantic = group[0][0].memory_id
        standing |= {content.memory_id: semantic for content, _ in group}
    absorbed = {each: other for each, other in standing.items() if each != other}
    agent.index.update(
        list(standing),
        absorbed=[memory_id in absorbed for memory_id in standing],
        stand_in=[other.bytes for other in standing.values()],
    )
    texts = {content.memory_id: content.memory.content for content, _ in agent.memories}
    alone = [[each for each, _ in await search(agent, fact.question)][:PLACES] for fact in agent.facts]
    joined = "\n".join(fact.question for fact in agent.facts)
    context = [each for each, _ in await search(agent, joined)][:PLACES]
    wrong = [{agent.owner[content.memory_id] for content, _ in group} for group in some]
    return Outcome(
        memories=len(agent.memories) - len(absorbed),
        facts=len({agent.owner[each] for each in context} - {None}),
        recall=mean(any(agent.owner[each] == at for each in found) for at, found in enumerate(alone)),
        recall_first=mean(bool(found) and agent.owner[found[0]] == at for at, found in enumerate(alone)),
        tokens=round(mean(sum(estimate_tokens(texts[each]) for each in found) for found in alone)),
        wrong=sum(len(each) > 1 or None in each for each in wrong),
    )


async def measured(language: Language, embedder: Embedder) -> dict[str, Outcome]:
    """Return the figures of one language, by state of the memory."""
    agent = await told(FACTS[language], embedder)
    near = await neighbourhoods(agent)
    words, everything = (merged(agent, near, everything=each) for each in (False, True))
    return {
        "as told": await outcome(agent, ()),
        "words": await outcome(agent, words),
        "all": await outcome(agent, everything),
    }


async def run(spec: str) -> None:
    """Measure both languages with an embedder, print a table and save the figures."""
    embedder = build_embedder(EmbeddingSettings(spec=spec))
    found = {language: await measured(language, embedder) for language in FACTS}
    print(f"{'':12}memories  facts in ten places  recall@10  first  tokens  wrong groups")
    for language, states in found.items():
        for name, each in states.items():
            print(
                f"{language} {name:9}{each.memories:8} {each.facts:20} {each.recall:10.2f} {each.recall_first:6.2f}"
                f" {each.tokens:7} {each.wrong:13}"
            )
    save_figures(
        "meaning",
        {"at": {language: {name: asdict(each) for name, each in states.items()} for language, states in found.items()}},
    )


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="built-in")
    asyncio.run(run(parser.parse_args().embedder))


if __name__ == "__main__":
    main()
