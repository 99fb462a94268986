"""Item progression with a language model: the different items that agents hold, counted on record."""

from collections import defaultdict
from collections.abc import Mapping
from math import inf
from typing import Final

from nemuri.experiments.report import window_names
from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.item_progression import AWARENESS, BLIND, CLAIMS, ITEMS, MOST
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.stores.society_record import StoredEvent

DONE: Final = "acts that were done, share"


class ItemMeasure:
    """The items that agents ever held, and the share of their acts that succeeded."""

    def __init__(self, society: Society, seconds: float) -> None:
        """Create the measure of a life that is about to begin."""
        self._agents, self._seconds = len(society.agents), round(seconds)
        self._begun: float | None = None
        self._held: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._acts = [0, 0]

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        values = event.values
        if self._begun is None and event.kind != "run":
            self._begun = event.second
        if event.kind == "item":
            self._held[values["agent"]].setdefault(values["item"], event.second)
        elif event.kind == "inventory":
            for item in values["items"]:
                self._held[values["agent"]].setdefault(item, event.second)
        elif event.kind == "act":
            self._acts[values["done"]] += 1

    def figures(self) -> Mapping[str, float]:
        """Return the mean and the highest number of different items of an agent, also over time."""
        found: dict[str, float] = {
            ITEMS: self._mean(inf),
            MOST: max((len(items) for items in self._held.values()), default=0),
        }
        for window in window_names(self._seconds):
            found[f"{ITEMS} {window}"] = self._mean(float(window.split("-")[1]))
        return found | ({DONE: self._acts[1] / sum(self._acts)} if sum(self._acts) else {})

    def _mean(self, second: float) -> float:
        """Return the mean number of different items that an agent had held `second` seconds after the beginning."""
        return (
            sum(at - (self._begun or 0.0) <= second for items in self._held.values() for at in items.values())
            / self._agents
        )


EXPERIMENT: Final = ModelExperiment(
    title="Item progression: number of different items that agents held",
    label="what a model reaches in the grid world with all modules and its own memories, and without action awareness",
    file="items",
    arms={FULL: Arm(), BLIND: Arm(frozenset({AWARENESS}))},
    claims=CLAIMS,
    measure=ItemMeasure,
    usual=Setting(5, 600),
    paper=Setting(25, 1_800),
    fewest=1,
)
