"""Fit of the agents to a task. The trained regressions are cached in this process."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from nemuri_contracts.agents import ORCHESTRATOR, Definition
from nemuri_contracts.client_events import Setting
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.decay import strength
from nemuri_domain.tasks.agent_fit import CALIBRATION, Fit, FitModel, Judged, features, texts_of
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.precedents import JudgedTask, influence
from nemuri_domain.tasks.routing import Evidence, compared_texts
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

CACHE_BYTES: Final = 64 * 1024 * 1024
"""Maximum number of bytes of trained regressions that this process caches."""

MindState = tuple[int, int, tuple[int, ...], int] | None
"""Numbers that change whenever the orchestrator's memories change; None while it has no memory."""
Place = tuple[str, str, str | None, frozenset[str]]
"""Projections, what the vectors can be compared with, and the project and domains of the setting."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A regression with all its inputs."""

    state: MindState
    definitions: Mapping[str, Definition]
    judged: tuple[Judged, ...]
    model: FitModel


@dataclass(slots=True)
class Fitness:
    """The fit of agents to tasks. A regression is trained again only if definitions or judged tasks have changed."""

    _trained: ByteCache[Place, Trained] = field(default_factory=lambda: _PROCESS)

    async def of(self, task: Task, applicants: Sequence[Applicant], resources: Resources) -> Evidence:
        """Return the fit of the texts that decide about a task; no evidence if there is nothing to decide."""
        texts = compared_texts(task, applicants)
        return Evidence(await self.fits(texts, applicants, task.setting, resources), CALIBRATION.sharpness)

    async def fits(
        self, texts: Sequence[str], applicants: Sequence[Applicant], setting: Setting, resources: Resources
    ) -> Mapping[str, Fit]:
        """Return the fit of texts to the agents, by text."""
        if not texts:
            return {}
        mind = await resources.views.agent(ORCHESTRATOR, only_rules=True)
        vectors = await calibrated_vectors(resources, mind)
        definitions = {applicant.agent_id: applicant.definition for applicant in applicants}
        model = await self._model(definitions, mind, setting, vectors, resources)
        rows = await vectors.of_queries(texts)
        return {text: model.fit(features(text, row)) for text, row in zip(texts, rows, strict=True)}

    async def _model(
        self,
        definitions: Mapping[str, Definition],
        mind: Agent | None,
        setting: Setting,
        vectors: Vectors,
        resources: Resources,
    ) -> FitModel:
        key = (resources.views.space, vectors.comparing.space, setting.project, frozenset(setting.domains))
        state = (mind.slept, len(mind.awake), mind.active, mind.archived) if mind else None
        known = self._trained.get(key)
        if known and known.state == state and known.definitions == definitions:
            return known.model
        found = await resources.views.judged_tasks(setting) if mind else ()
        judged = tuple(_judged(judged_task, mind) for judged_task in found if mind)
        if known and known.judged == judged and known.definitions == definitions:
            model = known.model
        else:
            texts = texts_of(definitions, judged)
            by_text = dict(zip(texts, await vectors.of(texts), strict=True))
            model = await asyncio.to_thread(FitModel, definitions, judged, by_text, CALIBRATION)
        self._trained.keep(key, Trained(state, definitions, judged, model))
        return model


def _judged(task: JudgedTask, mind: Agent) -> Judged:
    now = strength(task.stored_strength, mind.clocks[task.level])
    return Judged(task.memory_id, task.text, task.outcomes, influence(now))


_PROCESS: ByteCache[Place, Trained] = ByteCache(CACHE_BYTES, lambda _, entry: entry.model.bytes)
"""The regressions shared by all services of this process."""
