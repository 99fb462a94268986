"""Accuracy of routing, cold and after judged tasks, and refusals of tasks that fit no agent.

    python -m bench.routing --dataset FOLDER [--embedder SPEC] [--quick]
    python -m bench.routing --dataset FOLDER --tune      # compare constants on the utterances for tuning

The folder has CLINC150: clinc_full.json and clinc_domains.json. Without it only the hand-written Japanese tasks of
`bench/routing_ja.json` are measured. CLINC150 is divided among seven agents in three ways: one domain for each agent,
all ten domains among seven agents, and eight intents from anywhere for each agent. The judged tasks are drawn from the
training utterances. Tuning uses the validation utterances, and the figures use the test utterances of other draws.

"outside" are the utterances that the data set calls out of scope. "other fields" are utterances of domains or intents
that no agent has. Baselines: TF-IDF with logistic regression on the judged tasks, and the nearest role with the five
nearest judged tasks by vector.
"""

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np

from bench.measured_embedder import measured_on
from bench.measuring import save_figures
from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import Setting, TaskSubmitted
from nemuri_contracts.tasks import Part, TaskRouted
from nemuri_domain.tasks import routing
from nemuri_domain.tasks.agent_fit import CALIBRATION, FitConstants, FitModel, Judged, features, texts_of
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.routing import Evidence
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

HERE: Final = Path(__file__).parent
SPLITS: Final = ("domains", "all domains", "intents")
AGENTS: Final = 7
INTENTS_OF_AN_AGENT: Final = 8
EXPERIENCE: Final = (0, 10, 30)
"""Numbers of judged tasks of each agent."""
TUNED_DRAWS, REPORTED_DRAWS = range(3), range(100, 105)
TESTS: Final = 40
"""Number of test utterances of each agent."""
OUTSIDE: Final = 200
PERSPECTIVES: Final = (Perspective(name="general"),)
ROLES: Final = {
    "banking": ("Bank teller", "Accounts, balances, transfers, PINs, statements, interest, checks, blocked accounts."),
    "credit_cards": ("Card adviser", "Credit cards: limits, credit score, rewards, lost or damaged cards, rates."),
    "kitchen_and_dining": ("Cook", "Recipes, ingredients, calories, cooking times, restaurants, reservations."),
    "home": ("House assistant", "Shopping lists, to-do lists, calendar, reminders, music, orders, smart home devices."),
    "auto_and_commute": ("Car mechanic", "Cars, oil, tires, fuel, traffic, directions, distances and rides."),
    "travel": ("Travel agent", "Flights, luggage, hotels, car rental, visas, vaccines, exchange rates, translation."),
    "utility": ("Everyday tools", "Weather, time, date, alarms, timers, sums, conversions, spelling, calls and texts."),
    "work": ("Human resources", "Vacation, pay, payday, taxes, insurance, benefits, meetings, retirement plans."),
    "small_talk": ("Conversation partner", "Greetings, thanks, jokes, who you are, your age, your hobbies."),
    "meta": ("Settings", "Language, accent, speed, volume, names, repeating, yes and no, cancelling, resetting."),
}
Said = tuple[str, str]
"""A text and the agent that it belongs to."""


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement: agents, their judged tasks, and test tasks."""

    definitions: Mapping[str, Definition]
    judged: Sequence[Said]
    tests: Sequence[Said]
    outside: Mapping[str, Sequence[str]]
    """Texts that fit no agent, by kind."""


class Corpus:
    """CLINC150."""

    def __init__(self, folder: Path) -> None:
        self.utterances: dict[str, Any] = json.loads((folder / "clinc_full.json").read_text(encoding="utf-8"))
        self.domains: dict[str, list[str]] = json.loads((folder / "clinc_domains.json").read_text(encoding="utf-8"))

    def case(self, split: str, draw: int, experience: int, part: str) -> Case:
        """Return the case of one draw. `part` is `val` or `test`."""
        chance = random.Random(f"{split} {draw}")
        fields, definitions, other = self._fields(split, chance)
        judged = [(text, name) for name in fields for text in self._some("train", fields[name], experience, chance)]
        tests = [(text, name) for name in fields for text in self._some(part, fields[name], TESTS, chance)]
        outside = {"outside": chance.sample([text for text, _ in self.utterances[f"oos_{part}"]], 100)}
        if other:
            outside["other fields"] = self._some(part, other, OUTSIDE, chance)
        return Case(definitions, judged, tests, outside)

    def _fields(
        self, split: str, chance: random.Random
    ) -> tuple[dict[str, list[str]], dict[str, Definition], list[str]]:
        """Return the intents and the definition of each agent, and the intents of no agent."""
        domains = sorted(self.domains)
        chance.shuffle(domains)
        if split == "intents":
            intents = [intent for domain in domains for intent in self.domains[domain]]
            chance.shuffle(intents)
            size = INTENTS_OF_AN_AGENT
            fields = {f"agent{n}": intents[n * size : (n + 1) * size] for n in range(AGENTS)}
            return fields, {name: _listed(each) for name, each in fields.items()}, intents[AGENTS * size :]
        groups = [[each] for each in domains[:AGENTS]]
        left = domains[AGENTS:]
        if split == "all domains":
            groups, left = [*(domains[n : n + 2] for n in (0, 2, 4)), *([each] for each in domains[6:])], []
        fields = {"-".join(group): [x for each in group for x in self.domains[each]] for group in groups}
        definitions = {"-".join(group): _described(group) for group in groups}
        return fields, definitions, [intent for each in left for intent in self.domains[each]]

    def _some(self, part: str, intents: Sequence[str], number: int, chance: random.Random) -> list[str]:
        wanted = frozenset(intents)
        pool = [text for text, intent in self.utterances[part] if intent in wanted]
        return chance.sample(pool, min(number, len(pool)))


def _described(domains: Sequence[str]) -> Definition:
    role, described = zip(*(ROLES[domain] for domain in domains), strict=True)
    return Definition(role=" and ".join(role), description=" ".join(described), perspectives=PERSPECTIVES)


def _listed(intents: Sequence[str]) -> Definition:
    handled = ", ".join(intent.replace("_", " ") for intent in intents)
    return Definition(role="Clerk", description=f"Handles {handled}.", perspectives=PERSPECTIVES)


def japanese(experience: int) -> Case:
    """Return the hand-written Japanese case."""
    found = json.loads((HERE / "routing_ja.json").read_text(encoding="utf-8"))
    return Case(
        {name: Definition(perspectives=PERSPECTIVES, **each) for name, each in found["agents"].items()},
        [(text, name) for name, texts in found["judged"].items() for text in texts[:experience]],
        [(text, name) for name, texts in found["tests"].items() for text in texts],
        {"outside": found["outside"]},
    )


async def routed(case: Case, embedder: CalibratedEmbedder, calibration: FitConstants) -> dict[str, float]:
    """Return the shares of right choices and of refusals by the platform's own routing."""
    judged = [Judged(UUID(int=n), text, {name: (1, 0)}) for n, (text, name) in enumerate(case.judged, 1)]
    known = texts_of(case.definitions, judged)
    vectors = dict(zip(known, await embedder.documents(known), strict=True))
    model = FitModel(case.definitions, judged, vectors, calibration)
    applicants = [Applicant(name, each, (), 0, 0, 0) for name, each in sorted(case.definitions.items())]

    async def chosen(texts: Sequence[str]) -> list[tuple[str, bool]]:
        """Return the best agent for each text, and True if the client is asked instead."""
        rows = await embedder.queries(texts)
        found = []
        for text, row in zip(texts, rows, strict=True):
            evidence = Evidence({text: model.fit(features(text, row))}, calibration.sharpness)
            decided = routing.route(_submitted(text), _task(text), applicants, evidence)
            best = max(decided.scores, key=lambda score: score.total).agent_id  # type: ignore[union-attr]
            found.append((best, not isinstance(decided, TaskRouted)))
        return found

    texts = [text for text, _ in case.tests]
    mine = list(zip(await chosen(texts), (name for _, name in case.tests), strict=True))
    refused = {kind: await chosen(each) for kind, each in case.outside.items()}
    return {
        "right": float(np.mean([best == name for (best, _), name in mine])),
        "asked inside": float(np.mean([asked for (_, asked), _ in mine])),
        "right of the routed": float(np.mean([best == name for (best, asked), name in mine if not asked])),
    } | {f"asked {kind}": float(np.mean([asked for _, asked in found])) for kind, found in refused.items()}


def _submitted(text: str) -> TaskSubmitted:
    return TaskSubmitted(event_id=UUID(int=1), client_id="bench", text=text)


def _task(text: str) -> Task:
    return Task(
        task_id=UUID(int=1),
        client_id="bench",
        text=text,
        documents=(),
        supplied_summary=None,
        wanted_agent=None,
        wanted_perspective=None,
        setting=Setting(),
        summary=text,
        parts=(Part(text=text),),
        submitted_at=datetime.now(UTC),
    )


async def nearest(case: Case, embedder: CalibratedEmbedder) -> float:
    """Return the share of right choices by the cosine to the role and to the five nearest judged tasks, added up."""
    names = sorted(case.definitions)
    roles = await embedder.documents(
        [f"{each.role}. {each.description}" for _, each in sorted(case.definitions.items())]
    )
    asked = await embedder.queries([text for text, _ in case.tests])
    scores = asked @ roles.T
    if case.judged:
        similar = asked @ (await embedder.documents([text for text, _ in case.judged])).T
        owners = np.array([names.index(name) for _, name in case.judged])
        for row, order in enumerate(np.argsort(-similar, axis=1)[:, :5]):
            np.add.at(scores[row], owners[order], similar[row, order])
    return float(
        np.mean([names[best] == name for best, (_, name) in zip(scores.argmax(axis=1), case.tests, strict=True)])
    )


def regression(case: Case) -> float | None:
    """Return the share of right choices by TF-IDF and logistic regression; None without judged tasks or
    scikit-learn.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
    except ModuleNotFoundError:
        return None
    if not case.judged:
        return None
    words = TfidfVectorizer(sublinear_tf=True)
    rows = words.fit_transform([text for text, _ in case.judged])
    model = LogisticRegression(max_iter=1_000, C=10).fit(rows, [name for _, name in case.judged])
    said = model.predict(words.transform([text for text, _ in case.tests]))
    return float(np.mean([best == name for best, (_, name) in zip(said, case.tests, strict=True)]))


async def _measured(cases: Sequence[Case], embedder: Embedder) -> CalibratedEmbedder:
    texts = [text for case in cases for text in texts_of(case.definitions, ())]
    return await measured_on(embedder, [*texts, *(text for case in cases for text, _ in case.judged)])


async def figures_of(
    cases: Sequence[Case], embedder: CalibratedEmbedder, calibration: FitConstants
) -> dict[str, float]:
    """Return the means over several cases."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for case in cases:
        for name, value in (await routed(case, embedder, calibration)).items():
            found[name].append(value)
        found["role and 5 nearest"].append(await nearest(case, embedder))
        if (share := regression(case)) is not None:
            found["TF-IDF, regression"].append(share)
    return {name: round(float(np.mean(values)), 3) for name, values in found.items()}


def cases(folder: Path | None, draws: Sequence[int], part: str) -> Iterator[tuple[str, int, list[Case]]]:
    """Yield the name, the number of judged tasks of each agent, and the cases of each measurement."""
    if folder is not None and (folder / "clinc_full.json").exists():
        corpus = Corpus(folder)
        for split in SPLITS:
            for number in EXPERIENCE:
                yield split, number, [corpus.case(split, draw, number, part) for draw in draws]
    for number in (0, 5, 10):
        yield "Japanese", number, [japanese(number)]


async def measured(folder: Path | None, spec: str, draws: Sequence[int]) -> None:
    """Measure one embedder, print a line for each measurement, and save the figures."""
    embedder = build_embedder(EmbeddingSettings(spec=spec))
    kind, saved = "built-in" if embedder.model == BuiltInEmbedder.model else "semantic", []
    for name, number, found in cases(folder, draws, "test"):
        figures = await figures_of(found, await _measured(found, embedder), CALIBRATION)
        saved.append({"split": name, "judged": number, **figures})
        print(f"{kind}, {name}, {number} judged each: " + ", ".join(f"{key} {value}" for key, value in figures.items()))
    save_figures(f"routing-{kind}", {"measurements": saved})
    await embedder.aclose()


async def tuned(folder: Path, spec: str) -> None:
    """Print the figures of several constants on the utterances for tuning."""
    embedder = build_embedder(EmbeddingSettings(spec=spec))
    for name, number, found in cases(folder, TUNED_DRAWS, "val"):
        calibrated = await _measured(found, embedder)
        for share in (0.3, 0.5, 0.7, 0.85):
            for ridge in (0.15, 0.3, 0.6):
                figures = await figures_of(found, calibrated, replace(CALIBRATION, vector_share=share, ridge=ridge))
                print(f"{name}, {number} judged, vectors {share}, ridge {ridge}: {figures}", flush=True)
    await embedder.aclose()


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, metavar="FOLDER")
    parser.add_argument("--embedder", action="append", metavar="SPEC", help="default: built-in; may be given twice")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    draws = REPORTED_DRAWS[:1] if chosen.quick else REPORTED_DRAWS
    for spec in chosen.embedder or ["built-in"]:
        if chosen.tune:
            asyncio.run(tuned(chosen.dataset, spec))
        else:
            asyncio.run(measured(chosen.dataset, spec, draws))


if __name__ == "__main__":
    main()
