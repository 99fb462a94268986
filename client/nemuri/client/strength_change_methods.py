"""The client's methods that change a strength memory: its text, its pin, its scope, its confirmation, its
relations.
"""

from dataclasses import dataclass
from typing import Unpack
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import validated
from nemuri.client.keywords import CorrectionKeywords
from nemuri.client.memory_changes import change_memory, edit_memory
from nemuri.client.parameters import Id, Written
from nemuri.client.strength_methods import StrengthMethods
from nemuri_contracts.client_events import Correction, Scope


@guard_methods
@dataclass(slots=True)
class StrengthChangeMethods(StrengthMethods):
    """The methods of a client that change strength memories."""

    async def edit_memory(self, memory_id: Id, content: Written, **options: Unpack[CorrectionKeywords]) -> UUID:
        """Correct the text of a strength memory, and return the id of the corrected memory as soon as it can be
        recalled.

        The former text stays in the log and in the history. Where both are relevant, the former memory is ranked after
        its correction. The corrected memory begins with the strength of a new one.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            content: New text of the memory, at most 16,000 characters.

        Returns:
            The id of the corrected memory.

        Raises:
            ClientError: The memory is unknown, is a principle, or comes from another client and this one is no
                operator; or the text has no words.

        Example:
            >>> memory_id = await client.remember("python", "Ann works in Oslo.")
            >>> edited = await client.edit_memory(memory_id, "Ann works in Bergen.")
            >>> (await client.memory(memory_id)).yields_to == (edited,)
            True
        """
        correction = validated(Correction, content=content, **options)
        return await edit_memory(self._exchange, await self.memory(memory_id), correction)

    async def pin_memory(self, memory_id: Id, *, pinned: bool = True) -> None:
        """Pin a strength memory, or end its pin, and return when this is in force.

        A pinned memory fades like any other, but no sleep archives or prunes it. Its place in the ranking does not
        change. An archived memory becomes active again.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            pinned: False ends the pin.

        Raises:
            ClientError: The memory is unknown, is a principle, comes from another client and this one is no operator,
                or is pinned (not pinned) already.

        Example:
            >>> memory_id = await client.remember("python", "Ann is the owner of the build.")
            >>> await client.pin_memory(memory_id)
            >>> (await client.memory(memory_id)).pinned
            True
        """
        known = await self.memory(memory_id)
        await change_memory(self._exchange, known, "pin" if pinned else "unpin")

    async def rescope_memory(self, memory_id: Id, scope: Scope) -> None:
        """Give a strength memory another scope, and return when this is in force. From then on it is found only where
        the new scope is valid.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            scope: New scope: universal, one project or one domain.

        Raises:
            ClientError: The memory is unknown, is a principle, comes from another client and this one is no operator,
                or has this scope already.

        Example:
            >>> from nemuri_contracts.client_events import Scope
            >>> memory_id = await client.remember("python", "The build runs at six.")
            >>> await client.rescope_memory(memory_id, Scope(level="project", name="bridge"))
            >>> (await client.memory(memory_id)).memory.scope.name
            'bridge'
        """
        await change_memory(self._exchange, await self.memory(memory_id), "rescope", scope=scope)

    async def confirm_memory(self, memory_id: Id) -> None:
        """Confirm what an agent inferred, and return when this is in force. The memory gains the strength that it
        lacked as an inference.

        Args:
            memory_id: Id of the memory, as a UUID or its text.

        Raises:
            ClientError: The memory is unknown, comes from another client and this one is no operator, or is no
                inference that waits for a confirmation.

        Example:
            >>> memory_id = await client.remember("python", "Ann is the owner of the build.")
            >>> try:
            ...     await client.confirm_memory(memory_id)
            ... except nemuri.ClientError as error:
            ...     str(error)
            'the memory is not confirmed: it is no inference that waits for a confirmation'
        """
        await change_memory(self._exchange, await self.memory(memory_id), "confirm")

    async def unrelate_memory(self, memory_id: Id, older: Id) -> None:
        """Withdraw the relation of a strength memory to an older one, and return when this is in force. Both stand for
        themselves again, and are not related again.

        Args:
            memory_id: Id of the memory that supersedes, contradicts, refines or repeats the older one, as a UUID or its
                text.
            older: Id of the older memory.

        Raises:
            ClientError: The memory is unknown, comes from another client and this one is no operator, or has no
                relation to the older one.

        Example:
            >>> memory_id = await client.remember("python", "Ann works in Oslo.")
            >>> edited = await client.edit_memory(memory_id, "Ann works in Bergen.")
            >>> await client.unrelate_memory(edited, memory_id)
            >>> (await client.memory(memory_id)).yields_to
            ()
        """
        await change_memory(self._exchange, await self.memory(memory_id), "unrelate", older=older)
