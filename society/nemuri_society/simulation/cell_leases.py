"""Cell leases of a host, and delayed writing of its agents' states (document 002 §6, PIANO).

Every beat writes the changed sections of the agents' states together with the leases of their cells. The writes have
expected revisions. So if other hosts wrongly considered a host dead, its first write is refused, and it gives up the
cells that it lost.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

import orjson
import structlog

from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.state_sections import VOLATILE
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.initial_state import initial_sections
from nemuri_society.simulation.leases import Leases
from nemuri_society.stores.society_states import AGENT, RevisionError, States

BATCH_ENTRIES: Final = 200
"""Approximate maximum number of entries in one batch. It is limited because encoding a batch blocks the event loop."""
ChangedSections = tuple[str, set[str]]
"""An agent id and the names of its changed sections."""
ChangeBatch = dict[int, list[ChangedSections]]
"""Agents with changed sections, by cell."""
WRITE_ERRORS: Final = (RevisionError, *READER_ERRORS)
"""Errors after which a batch was not written, or may not have been written."""

logger = structlog.get_logger()


class CellLeases:
    """The cell leases of one host, and the states of the agents in its cells."""

    def __init__(self, host: str, society: Society, states: States, engine: Engine) -> None:
        """Create the leases of a host that holds no cell yet."""
        self.host = host
        self.cells: set[int] = set()
        self.is_confirmed = False
        """True if the last beat renewed the leases of all cells, so that no other host had taken one before it."""
        self._society, self._engine = society, engine
        self._leases = Leases(host, states)
        self._cell_of = {resident.id: nth for nth in range(society.cells) for resident in society.cell(nth)}

    async def free_cells(self) -> list[int]:
        """Return the cells that no host seems to hold, by their indices. Another host may take them at any time."""
        others = [str(cell) for cell in range(self._society.cells) if cell not in self.cells]
        return [int(name) for name in await self._leases.free_names(others)]

    async def acquire(self, cell: int, second: float) -> list[SharedState] | None:
        """Take a free cell and return the last written states of its agents; None if another host was faster.

        `second` is the present second of the simulation. An agent without a written state gets its initial one.
        """
        if not await self._leases.acquire(str(cell)):
            return None
        values: dict[str, dict[str, Mapping[str, object]]] = {}
        async for entry in self._leases.states.read(f"{AGENT}.{cell}.>"):
            _, _, agent_id, section = entry.key.split(".")
            values.setdefault(agent_id, {})[section] = orjson.loads(entry.value)
            self._leases.revisions[entry.key] = entry.revision
        self.cells.add(cell)
        residents = {agent.id: agent for agent in self._society.cell(cell)}
        for agent_id, resident in residents.items():
            sections = values.setdefault(agent_id, {})
            if "profile" not in sections:  # The first host of this agent.
                sections |= initial_sections(self._society, resident)
        return [SharedState.of(agent_id, values[agent_id], second) for agent_id in residents]  # type: ignore[arg-type]

    async def beat(self, log: Callable[..., object] = logger.warning) -> set[int]:
        """Write all changes and renew the leases. Return the cells that were lost to other hosts.

        Changes that could not be written stay queued for the next beat, and `log` reports the error.
        """
        batches = deque(self._batches())
        self.is_confirmed = False
        try:
            while batches:
                await self._leases.write(self._entries(batches[0]))
                batches.popleft()
            self.is_confirmed = True
        except WRITE_ERRORS as error:
            log("states not written", host=self.host, why=log_safe(error))
            return await self._lost_cells()
        finally:
            self._requeue(batches)
        return set()

    async def release(self) -> None:
        """Write all changes, then release the cells so that other hosts can take them at once.

        After an interrupted beat the revisions of some entries may be unknown. Then the first beat here is refused and
        reads the revisions, and the second beat writes.
        """
        for log in (logger.debug, logger.warning):
            self.cells -= await self.beat(log)
            if not self._engine.changed:
                break
        try:
            await self._leases.release(map(str, self.cells))
        except WRITE_ERRORS as error:
            logger.warning("cells not released", host=self.host, why=log_safe(error))

    def forget_cell(self, cell: int) -> None:
        """Remove a cell that this host no longer holds."""
        self.cells.discard(cell)
        for key in [revision for revision in self._leases.revisions if revision.startswith(f"{AGENT}.{cell}.")]:
            del self._leases.revisions[key]

    def _batches(self) -> Iterator[ChangeBatch]:
        """Yield all changes in batches, and mark them as written. Every cell is in one batch, even without changes."""
        changed, self._engine.changed = self._engine.changed, {}
        of_cell: dict[int, list[ChangedSections]] = {cell: [] for cell in self.cells}
        for agent_id, sections in changed.items():
            if (cell := self._cell_of[agent_id]) in of_cell and (kept := sections - VOLATILE):
                of_cell[cell].append((agent_id, kept))
        batch, size = ChangeBatch(), 0
        for cell, agents in of_cell.items():
            more = 1 + sum(len(sections) for _, sections in agents)
            if batch and size + more > BATCH_ENTRIES:
                yield batch
                batch, size = ChangeBatch(), 0
            batch[cell] = agents
            size += more
        if batch:
            yield batch

    def _entries(self, batch: ChangeBatch) -> dict[str, bytes]:
        """Return the entries to write for a batch: the renewed lease of each cell, and the present values of changed
        sections.
        """
        entries: dict[str, bytes] = {}
        for cell, agents in batch.items():
            entries |= self._leases.renewed_entry(str(cell))
            for agent_id, sections in agents:
                if (state := self._engine.states.get(agent_id)) is not None:
                    entries |= {
                        f"{AGENT}.{cell}.{agent_id}.{section}": _encoded(state, section) for section in sections
                    }
        return entries

    def _requeue(self, batches: Iterable[ChangeBatch]) -> None:
        """Mark the changes in batches that were not written as unwritten again."""
        for agent_id, sections in chain.from_iterable(chain.from_iterable(batch.values()) for batch in batches):
            self._engine.changed.setdefault(agent_id, set()).update(sections)

    async def _lost_cells(self) -> set[int]:
        """Read the holders of all leases again, and return the cells that this host has lost; none if they cannot be
        read now.

        This also reads the revisions, so the next beat can write the changes of the other cells.
        """
        try:
            mine = await self._leases.held_names()
        except WRITE_ERRORS as error:
            logger.warning("leases not readable", host=self.host, why=log_safe(error))
            return set()
        return {cell for cell in self.cells if str(cell) not in mine}


def _encoded(state: SharedState, section: str) -> bytes:
    return orjson.dumps(dict(state.sections[section].values))
