"""The parameters that were adopted for an agent's memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.codec import parsed
from nemuri_domain.strength.policy import Policy

if TYPE_CHECKING:
    from nemuri.client.client import Client


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a policy."""

    name: str
    value: Any
    default: Any

    @property
    def differs(self) -> bool:
        """Return True if the value is not the default."""
        return bool(self.value != self.default)


async def adopted_parameters(client: "Client", agent: str) -> Mapping[str, Any]:
    """Return the parameters that were adopted last for an agent, without the defaults. The client is an operator's."""
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, PolicyAdopted))
    last = parsed(newest.data) if newest.sequence else None
    return last.parameters if isinstance(last, PolicyAdopted) else {}


def strength_parameters(parameters: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """Return every parameter of strength memory with its value and its default, those that differ first."""
    values, defaults = Policy.of(parameters).model_dump(mode="json"), Policy().model_dump(mode="json")
    found = (Parameter(name, value, defaults[name]) for name, value in values.items())
    return tuple(sorted(found, key=lambda parameter: not parameter.differs))
