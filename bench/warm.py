"""CPU time of one recall in a process that has loaded the index: ten thousand memories of one agent, 256 dimensions.

    python -m bench.warm --dataset jsquad-valid-v1.3.json --dataset locomo10.json

Memories are passages of two hundred characters from the data set, with tags. Queries are its questions. The script
measures the complete `recall_memories` on the embedded PostgreSQL: stage 1, expansions (three perspectives, each
with a keyword) and stage 2. The time for embedding the query and its expansions is subtracted. One BLAS thread.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import gc
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import psutil

from bench.measuring import save_figures
from bench.retrieval import LETTERS, ROWS, agents_of
from bench.servers import servers
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.query_texts import query_texts
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process.event_loop import run
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.stores.vectors import vector_key

EMBEDDER = BuiltInEmbedder()
EMBEDDING = Embedding(model=EMBEDDER.model, dimension=EMBEDDER.dimension)
QUERIES, BATCH_SIZE, TAGS = 100, 50, 4


async def remember(resources: Resources, everything: str, perspectives: Sequence[Perspective]) -> None:
    """Store ten thousand passages as the agent's memories, and return when the projections contain them."""
    definition = Definition(role="reader", perspectives=tuple(perspectives))
    await resources.log.append(
        AgentDefined(event_id=uuid4(), agent_id="reader", definition=definition, embedding=EMBEDDING)
    )
    chance, last = random.Random(1), 0
    for _ in range(0, ROWS, BATCH_SIZE):
        texts = [_passage(everything, chance) for _ in range(BATCH_SIZE)]
        events = [_encoded(text, definition.perspective_names) for text in texts]
        last = max(await asyncio.gather(*map(resources.log.append, events)))
    await resources.views.progress.wait(last, seconds=300)


def _passage(everything: str, chance: random.Random) -> str:
    start = chance.randrange(max(1, len(everything) - LETTERS))
    return everything[start : start + LETTERS]


def _encoded(text: str, perspectives: tuple[str, ...]) -> MemoryEncoded:
    return MemoryEncoded(
        event_id=uuid4(),
        agent_id="reader",
        memory=MemoryContent(content=text, tags=keywords(text, TAGS)),
        vector=vector_key(EMBEDDING.model, EMBEDDING.dimension, text),
        source="manual",
        strength=1.0,
        perspectives=perspectives,
    )


async def measure(name: str, everything: str, questions: Sequence[str], words: Sequence[str]) -> None:
    """Print and save the cost of the first recall, the memory use, and the median of further recalls."""
    perspectives = [Perspective(name=f"view {number}", keywords=(word,)) for number, word in enumerate(words)]
    async with servers() as settings, open_resources(settings) as resources, run_services(resources, ["projector"]):
        await remember(resources, everything, perspectives)
        agent = await resources.views.agent("reader")
        if agent is None:
            raise LookupError("the agent was not defined")
        before = _resident()
        began, started = time.process_time(), time.perf_counter()
        await recall_memories(resources, agent, questions[0], perspective=None, setting=Setting())
        cold = time.process_time() - began
        print(f"  cold start {time.perf_counter() - started:.1f} s, {cold:.1f} s CPU")
        held = _resident() - before
        print(f"  memory {held / 1e6:.0f} MB = {held / ROWS / 1e3:.1f} kB per memory")
        spent, embedding, found = [], [], []
        for question in questions:
            began = time.process_time()
            await EMBEDDER.embed_queries([each.text for each in query_texts(agent, question).every])
            between = time.process_time()
            recollection = await recall_memories(resources, agent, question, perspective=None, setting=Setting())
            spent.append(time.process_time() - between)
            embedding.append(between - began)
            found.append(len(recollection.candidates))
        beyond = [whole - part for whole, part in zip(spent, embedding, strict=True)]
        print(f"  warm recall {_ms(spent)}, of which embedding {_ms(embedding)}, rest {_ms(beyond)}")
        kilobytes = held / ROWS / 1e3
        save_figures(name, {"recall_ms": statistics.median(beyond) * 1e3, "cold_s": cold, "kilobytes_each": kilobytes})
        print(f"  {statistics.mean(found):.0f} candidates on average; {len(perspectives)} expansions")


def _resident() -> int:
    """Return the resident memory of the process in bytes."""
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def _ms(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.2f} ms"


def main() -> None:
    """Print the figures for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    parser.add_argument("--keyword", action="append", default=[], help="of one perspective each; three by default")
    chosen = parser.parse_args()
    for path in chosen.dataset:
        name, agents = agents_of(path)
        everything = "\n".join(memory for agent in agents for memory in agent.memories)
        questions = [question for agent in agents for question, _ in agent.questions]
        words = chosen.keyword or keywords(everything[:20_000], 3)
        print(path.name)
        run(measure(f"warm-{name}", everything, random.Random(1).sample(questions, QUERIES), words))


if __name__ == "__main__":
    main()
