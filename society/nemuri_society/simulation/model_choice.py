"""The choice of a model for each module and each resident (document 002 §5.4, RULINGS)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from nemuri_infra.models.settings import ModelSettings
from nemuri_society.cognition.degraded_mode import ProviderState
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.model_providers import Providers

DEFAULT: Final = "default"
"""Key of a society's `models` for the modules that it does not name."""
MAIN, LIGHT, SCRIPTED = "main", "light", "scripted"
"""Names of models: the two of the settings, and the one that answers by rules."""
HEAVY_MODULES: Final = frozenset({"cognitive_controller", "planning", "self_reflection"})
"""Modules that use the main model, if the settings name one and the society says nothing else: they decide much and
run rarely.
"""
_STATES: Final[Sequence[ProviderState]] = ("ok", "failing", "down")


@dataclass(frozen=True, slots=True)
class ModelNames:
    """Names of the models by module and by resident, without the models themselves."""

    default: str = LIGHT
    by_module: Mapping[str, str] = field(default_factory=dict)
    by_agent: Mapping[str, str] = field(default_factory=dict)
    """Model of the residents that have one of their own, by agent id."""

    @classmethod
    def chosen(cls, society: Society, settings: ModelSettings) -> Self:
        """Return the names that a society and the settings choose."""
        heavy = dict.fromkeys(HEAVY_MODULES, MAIN) if names_main_model(settings) else {}
        given = dict(society.models)
        default = given.pop(DEFAULT, None)
        by_module = {**({} if default else heavy), **given}
        by_agent = {agent.id: agent.model for agent in society.agents if agent.model is not None}
        return cls(default or LIGHT, by_module, by_agent)

    @property
    def used(self) -> frozenset[str]:
        """Names of all models that are needed."""
        return frozenset({self.default, *self.by_module.values(), *self.by_agent.values()})

    def of(self, module: str, agent_id: str | None = None) -> str:
        """Return the name of the model of a module, for a resident that may have its own."""
        own = None if agent_id is None else self.by_agent.get(agent_id)
        return own or self.by_module.get(module, self.default)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models of a host, each with its providers in order of preference."""

    names: ModelNames
    models: Mapping[str, Providers]
    """Providers by the name of the model."""

    @classmethod
    def single(cls, providers: Providers) -> Self:
        """Return the choice of one model for everything."""
        return cls(ModelNames(), {LIGHT: providers})

    def of(self, module: str, agent_id: str | None = None) -> tuple[str, Providers]:
        """Return the name of the model of a module and a resident, and its providers."""
        name = self.names.of(module, agent_id)
        return name, self.models[name]

    async def close(self) -> None:
        """Release the connections of all models. Nothing may be asked afterwards."""
        for providers in self.models.values():
            await providers.close()

    def status_of(self, module: str) -> ProviderState:
        """Return the state of the providers of a module."""
        return self.of(module)[1].status

    @property
    def status(self) -> ProviderState:
        """The worst state of all models."""
        return max((providers.status for providers in self.models.values()), key=_STATES.index)


def names_main_model(settings: ModelSettings) -> bool:
    """Return True if the settings of a chosen provider name a main model, instead of leaving it at its default."""
    return any(
        getattr(provider, name) == provider.chosen_model(light=False)
        for provider in settings.called
        for name in provider.model_fields_set
        if name.endswith("_model") and not name.endswith("_light_model")
    )
