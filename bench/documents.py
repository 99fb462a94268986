"""Time to answer a question about a large document, and the delay of another client's questions meanwhile.

    python -m bench.documents                          # 250 kB, 1 MB and 5 MB, two rounds
    python -m bench.documents --sizes 100 --rounds 1   # kilobytes

Runs a platform of its own (`nemuri up`, built-in embedder, no model). In each round one client asks about a new
document of each size in turn, while another client asks small questions one after the other. Before each document the
small question is asked on the idle platform. The cost is linear if a document five times as large takes five times as
long.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from bench.hook import platform
from bench.measuring import save_figures, table
from bench.texts import memories
from nemuri.client.client import Client
from nemuri.client.connection import connected
from nemuri.platform.embedder_check import embedding_in_force
from nemuri_contracts.agents import AgentDefined, Definition, Perspective
from nemuri_contracts.event import OPERATOR
from nemuri_infra.process.event_loop import run
from nemuri_infra.runtime.settings import Settings

AGENT = "clerk"
QUESTION = "Which pump leaks oil when the pressure drops?"
CHARACTERS = 1_000
"""Number of characters in a kilobyte of these texts, which are ASCII."""
TIMEOUT_SECONDS = 1_800.0


@dataclass
class Size:
    """Measurements for documents of one size: seconds until the answer, and of each small question meanwhile."""

    kilobytes: int
    document: list[float] = field(default_factory=list)
    meanwhile: list[float] = field(default_factory=list)

    def figures(self, alone: float) -> dict[str, float]:
        """Return the median seconds for the document, and the small question's median and maximum divided by `alone`.

        `alone` is the number of seconds that the small question takes on an idle platform.
        """
        return {
            "seconds": round(statistics.median(self.document), 2),
            "question_ratio": round(statistics.median(self.meanwhile) / alone, 2),
            "question_ratio_max": round(max(self.meanwhile) / alone, 2),
            "questions": len(self.meanwhile),
        }


def document(kilobytes: int, number: int) -> str:
    """Return a text of the given size. Texts with different numbers are different."""
    text = f"Volume {number}.\n" + "\n".join(memories(kilobytes * CHARACTERS // 100))
    return text[: kilobytes * CHARACTERS]


async def asked(client: Client) -> float:
    """Ask the small question and return the seconds until its answer. Raises RuntimeError if the task fails."""
    began = time.perf_counter()
    result = await client.ask(QUESTION, timeout=TIMEOUT_SECONDS)
    if result.status != "done":
        raise RuntimeError(f"the question ended as {result.status}: {result.reason}")
    return time.perf_counter() - began


async def read_beside(reader: Client, other: Client, size: Size, number: int) -> None:
    """Ask about a document. Meanwhile the other client asks small questions, one after the other. Add the times to
    `size`.
    """
    text, began = document(size.kilobytes, number), time.perf_counter()
    reading = asyncio.create_task(reader.ask(QUESTION, documents=[("volume.txt", text)], timeout=TIMEOUT_SECONDS))
    while not reading.done():
        size.meanwhile.append(await asked(other))
    result = await reading
    size.document.append(time.perf_counter() - began)
    if result.status != "done":
        raise RuntimeError(f"the document of {size.kilobytes} kB ended as {result.status}: {result.reason}")


async def measure(sizes: list[Size], rounds: int) -> dict[str, object]:
    """Run a platform, ask about every size in each round, and return the figures."""
    alone: list[float] = []
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        data = Path(directory, "data")
        with platform(data):
            settings = Settings(data=data)
            async with connected(settings, OPERATOR) as reader, connected(settings, "bench-other") as other:
                await defined(reader, settings)
                await asked(other)
                for number in range(rounds):
                    for size in sizes:
                        alone += [await asked(other) for _ in range(3)]
                        await read_beside(reader, other, size, number)
    base = statistics.median(alone)
    at = {str(siz.kilobytes): siz.figures(base) for siz in sizes}
    grown = statistics.median(sizes[-1].document) / statistics.median(sizes[-2].document) if len(sizes) > 1 else None
    return {"rounds": rounds, "alone_seconds": round(base, 3), "growth": grown and round(grown, 2), "at": at}


async def defined(client: Client, settings: Settings) -> None:
    """Define the agent that answers, and give it a memory."""
    definition = Definition(
        role="a clerk of the works", description="machines, places and their faults",
        perspectives=(Perspective(name="faults"),),
    )  # fmt: skip
    embedding = await embedding_in_force(settings)
    await client.log.append(AgentDefined(event_id=uuid4(), agent_id=AGENT, definition=definition, embedding=embedding))
    await client.settle()
    await client.remember(AGENT, "The pump of Alder in Ghent leaks oil when the pressure drops.")


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[250, 1_000, 5_000], metavar="KILOBYTES")
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    sizes = [Size(siz) for siz in sorted(chosen.sizes)]
    figures = run(measure(sizes, chosen.rounds))
    rows: list[tuple[object, ...]] = [("kB", "seconds", "question meanwhile / alone", "longest / alone")]
    at: dict[str, dict[str, float]] = figures["at"]  # type: ignore[assignment]
    rows += [(name, one["seconds"], one["question_ratio"], one["question_ratio_max"]) for name, one in at.items()]
    print(table(rows))
    print(f"the question alone: {figures['alone_seconds']} s; the largest over the second largest: {figures['growth']}")
    save_figures("documents", figures)


if __name__ == "__main__":
    main()
