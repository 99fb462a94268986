"""The client's methods that change a strength memory: its text, its pin, its scope, its confirmation, its
relations; and the import, which corrects what has changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Unpack
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import UnknownIdError, validated
from nemuri.client.keywords import CorrectionKeywords
from nemuri.client.memory_changes import change_memory, edit_memory
from nemuri.client.memory_imports import ImportedMemories, import_memories
from nemuri.client.new_agents import agent_or_new
from nemuri.client.parameters import Id, Written
from nemuri.client.strength_methods import StrengthMethods
from nemuri_contracts.agents import Definition
from nemuri_contracts.client_events import Correction, MemoryContent, Scope
from nemuri_contracts.event import Label
from nemuri_contracts.memory_views import AgentView


@guard_methods
@dataclass(slots=True)
class StrengthChangeMethods(StrengthMethods):
    """The methods of a client that change strength memories."""

    async def import_memories(
        self,
        agent: str,
        contents: Mapping[Label, MemoryContent],
        *,
        create: bool = True,
        definition: Definition | None = None,
        dry_run: bool = False,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> ImportedMemories:
        """Import memories that have names of their own elsewhere, each once, and return what became of each.

        A memory that was imported before is not imported again. If it says something else now, the new text corrects
        the former one, as `edit_memory` does.

        Args:
            agent: Id of an agent with strength memory. An unknown agent is made.
            contents: The memories by their keys. A key is the name of the memory in its source, for example
                "mem0/d8a1", and stays when the memory changes. Each client has keys of its own.
            create: Make an unknown agent, and log a warning that says so; if false, it is an error.
            definition: Definition of an agent that is made. By default, it has strength memory and one perspective.
            dry_run: Only tell what would become of the memories. Nothing is recorded.
            on_progress: Function that is called with the number of memories that are decided so far, and with the
                number of all that are new or changed.

        Returns:
            The keys of the memories: new, changed, known, erased since, and refused with the reasons.

        Raises:
            ClientError: The agent is unknown or has another kind of memory; then nothing was recorded. Or none was
                recorded for a minute; others may be recorded then.

        Example:
            >>> from nemuri_contracts.client_events import MemoryContent
            >>> contents = {"notes/1": MemoryContent(content="Ann works in Turku.")}
            >>> (await client.import_memories("python", contents)).new
            ('notes/1',)
            >>> (await client.import_memories("python", contents)).known
            ('notes/1',)
        """
        view: AgentView | None = None
        if not dry_run:
            view = await agent_or_new(self._exchange, self.log, agent, create=create, anew=True, definition=definition)
        else:
            try:
                [view] = await self.agents(agent)
            except UnknownIdError:
                if not create:
                    raise
        return await import_memories(self._exchange, agent, view, contents, dry_run=dry_run, on_progress=on_progress)

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
