"""The client's methods for principles: list, adopt, reject and retire them."""

from dataclasses import dataclass
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.parameters import Id, Written
from nemuri.client.principle_decisions import all_principles, decide
from nemuri_contracts.client_events import Scope
from nemuri_contracts.principles import PrincipleRecord


@guard_methods
@dataclass(slots=True)
class PrincipleMethods(ClientBase):
    """The methods of a client for the principles of agents and of the organisation."""

    async def principles(self) -> dict[str, tuple[PrincipleRecord, ...]]:
        """Return the principles that were proposed or decided, by agent. Those of the whole organisation are under
        `organisation`. Principles in the agents' definition files are not listed.

        Returns:
            The principles of each agent that has any, in the order of their last decision.

        Raises:
            ClientError: The platform does not answer.

        Example:
            >>> principle_id = await client.adopt_principle("organisation", text="Quote prices in yen.")
            >>> [each.standing for each in (await client.principles())["organisation"]]
            ['adopted']
        """
        return await all_principles(self._exchange)

    async def adopt_principle(
        self, agent: Written, principle_id: Id | None = None, *, text: Written | None = None, scope: Scope | None = None
    ) -> UUID:
        """Adopt a proposed principle, or an own one, and return its id. It is part of every later context. Only an
        operator may do this; no model and no service does.

        Args:
            agent: Id of the agent, or `organisation` for all agents.
            principle_id: Id of a proposed principle; None for an own one.
            text: Other words for the proposed principle, or an own one; at most 1,000 characters.
            scope: Where the principle is valid. None means everywhere, or where the proposed one is.

        Returns:
            The id of the principle.

        Raises:
            ClientError: The agent or the principle is unknown, it is not proposed, the agent has it already, or this
                client is no operator.

        Example:
            >>> principle_id = await client.adopt_principle("python", text="Name the version of Python.")
            >>> await client.retire_principle("python", principle_id)
        """
        return await decide(self._exchange, agent, "adopt", principle_id, text, scope)

    async def reject_principle(self, agent: Written, principle_id: Id) -> None:
        """Reject a proposed principle. It is not proposed again from the same corrections.

        Args:
            agent: Id of the agent, or `organisation`.
            principle_id: Id of the principle, as a UUID or its text.

        Raises:
            ClientError: The principle is unknown or not proposed, or this client is no operator.

        Example:
            >>> for each in (await client.principles()).get("organisation", ()):
            ...     if each.standing == "proposed":
            ...         await client.reject_principle("organisation", each.principle_id)
        """
        await decide(self._exchange, agent, "reject", principle_id)

    async def retire_principle(self, agent: Written, principle_id: Id) -> None:
        """Retire an adopted principle. It stays as an ordinary memory, which fades.

        Args:
            agent: Id of the agent, or `organisation`.
            principle_id: Id of the principle, as a UUID or its text.

        Raises:
            ClientError: The principle is unknown or not adopted, or this client is no operator.

        Example:
            >>> principle_id = await client.adopt_principle("python", text="Show an example first.")
            >>> await client.retire_principle("python", principle_id)
        """
        await decide(self._exchange, agent, "retire", principle_id)
