"""Requests that get the right perspective, by name and keywords alone and with the memories strong in each.

    python -m bench.perspectives [--show]

`bench/perspectives.json` was written by hand: three agents in English and three in Japanese, with three perspectives
each. Every memory of a perspective was used twice under it, and the shared ones without any. "known" are requests that
have no word of a name or keyword but are about a memory. "named" mean a name or keyword. "none" belong to no
perspective: another field, or what the agent knows under none. Two of the agents are kept unseen.

With "crowded" each perspective is also known by twenty unrelated facts of `bench/word_pairs.jsonl`, used as often.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Final

from bench.measuring import save_figures, table
from nemuri_contracts.agents import Definition, Perspective
from nemuri_domain.strength.agent_topics import TopicSource
from nemuri_domain.strength.perspective_memories import PerspectiveMemories, perspective_memories
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.panel_seats import fitting

HERE: Final = Path(__file__).parent
KINDS: Final = ("known", "named", "none")
ARMS: Final = ("name and keywords", "with memories", "with memories, crowded")
CROWD: Final = 20
"""Number of unrelated facts of each perspective in the crowded arm."""
USES: Final = 2


def definition(agent: Mapping[str, Any]) -> Definition:
    """Return the definition of an agent of the set."""
    views = (Perspective(name=name, keywords=each["keywords"]) for name, each in agent["perspectives"].items())
    return Definition(role="clerk", perspectives=tuple(views))


def used(text: str, under: str | None, names: Sequence[str]) -> TopicSource:
    """Return a memory that was used under a perspective, or without any."""
    rules = Policy()
    more = USES * rules.perspective_strength_increment
    by_perspective = {name: rules.initial_strength + more * (name == under) for name in names}
    return TopicSource((), text, rules.initial_strength + USES * rules.strength_increment_on_use, by_perspective)


def memories(agent: Mapping[str, Any], others: Sequence[str], seed: int) -> PerspectiveMemories:
    """Return the memories strong in each perspective, with `CROWD` of the others in each if there are any."""
    chance, names = Random(seed), list(agent["perspectives"])
    held = [used(text, None, names) for text in agent["shared"]]
    for name, each in agent["perspectives"].items():
        crowd = chance.sample(others, CROWD) if others else []
        held += [used(text, name, names) for text in (*each["memories"], *crowd)]
    return perspective_memories(held)


def requests(agent: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield the kind, the text and the right perspective of each request."""
    for kind in KINDS:
        for each in agent[kind]:
            yield (kind, each, None) if kind == "none" else (kind, *each)


def main() -> None:
    """Measure all arms, print the table and save it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the requests for tuning that go wrong")
    show = parser.parse_args().show
    agents = json.loads((HERE / "perspectives.json").read_text(encoding="utf-8"))
    facts = [json.loads(line) for line in (HERE / "word_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    right: dict[str, defaultdict[tuple[str, str, str], list[bool]]] = {arm: defaultdict(list) for arm in ARMS}
    seconds = dict.fromkeys(ARMS, 0.0)
    for number, agent in enumerate(agents.values()):
        others = [fact[f"f_{agent['language']}"] for fact in facts]
        known = {ARMS[0]: {}, ARMS[1]: memories(agent, [], number), ARMS[2]: memories(agent, others, number)}
        for kind, text, wanted in requests(agent):
            for arm, strong in known.items():
                begun = process_time()
                found = fitting(definition(agent), text, strong)
                seconds[arm] += process_time() - begun
                right[arm][agent["split"], agent["language"], kind].append(found == wanted)
                if show and found != wanted and agent["split"] == "tuning":
                    print(f"{arm}: {text} -> {found}, not {wanted}")
    report(right, seconds)


def report(right: Mapping[str, Mapping[tuple[str, str, str], Sequence[bool]]], seconds: Mapping[str, float]) -> None:
    """Print the share of right requests of each arm, and the CPU time of a request, and save both."""
    cases = sorted(right[ARMS[0]])
    rows = [["", *(" ".join(case) for case in cases), "ms"]]
    figures = dict[str, Any]()
    for arm, found in right.items():
        shares = {" ".join(case): sum(found[case]) / len(found[case]) for case in cases}
        milliseconds = 1_000 * seconds[arm] / sum(map(len, found.values()))
        figures[arm] = {**shares, "milliseconds": milliseconds}
        rows.append([arm, *(f"{sum(found[case])}/{len(found[case])}" for case in cases), f"{milliseconds:.2f}"])
    print(table([list(each) for each in zip(*rows, strict=True)]))
    save_figures("perspectives", figures)


if __name__ == "__main__":
    main()
