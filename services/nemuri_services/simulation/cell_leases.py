"""Cell leases of a host and write-behind of its agents' states (document 002 §6, PIANO.md).

Every beat writes changed sections together with the leases of their cells, with expected revisions. If a host was
wrongly considered dead, its first batch is refused, and it releases the cells that it lost.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

import orjson
import structlog

from nemuri_contracts.society import Society
from nemuri_domain.cognition.engine import Engine
from nemuri_domain.cognition.shared_state import SharedState
from nemuri_domain.cognition.state_sections import VOLATILE
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.society_states import AGENT, RevisionError, States
from nemuri_services.simulation.leases import Leases

BATCH_ENTRIES: Final = 200
"""Entries of one batch, approximately. Encoding a batch blocks the event loop."""
ChangedSections = tuple[str, set[str]]
"""An agent id and its changed sections."""
ChangeBatch = dict[int, list[ChangedSections]]
"""Changed agents by cell."""
WRITE_ERRORS: Final = (RevisionError, *READER_ERRORS)
"""Errors after which a batch is not written, or not known to be written."""

logger = structlog.get_logger()


class CellLeases:
    """The cell leases of one host."""

    def __init__(self, host: str, society: Society, states: States, engine: Engine) -> None:
        """Create the leases of a host, without any cell."""
        self.host = host
        self.cells: set[int] = set()
        self._society, self._engine = society, engine
        self._leases = Leases(host, states)
        self._cell_of = {each.id: nth for nth in range(society.cells) for each in society.cell(nth)}

    async def free_cells(self) -> list[int]:
        """Return the cells without a host, as far as this host has seen."""
        others = [str(cell) for cell in range(self._society.cells) if cell not in self.cells]
        return [int(name) for name in await self._leases.free_names(others)]

    async def acquire(self, cell: int, second: float) -> list[SharedState] | None:
        """Take a free cell and return its agents in their last written state. None if another host was faster."""
        if not await self._leases.acquire(str(cell)):
            return None
        values: dict[str, dict[str, Mapping[str, object]]] = {}
        async for entry in self._leases.states.read(f"{AGENT}.{cell}.>"):
            _, _, agent_id, section = entry.key.split(".")
            values.setdefault(agent_id, {})[section] = orjson.loads(entry.value)
            self._leases.revisions[entry.key] = entry.revision
        self.cells.add(cell)
        residents = {each.id: each for each in self._society.cell(cell)}
        for agent_id, resident in residents.items():
            initial = {"name": resident.name, "town": resident.town, **resident.profile}
            values.setdefault(agent_id, {}).setdefault("profile", initial)
        return [SharedState.of(agent_id, values[agent_id], second) for agent_id in residents]  # type: ignore[arg-type]

    async def beat(self, log: Callable[..., object] = logger.warning) -> set[int]:
        """Write all changes and renew the leases. Return the cells that were lost to other hosts."""
        batches = deque(self._batches())
        try:
            while batches:
                await self._leases.write(self._entries(batches[0]))
                batches.popleft()
        except WRITE_ERRORS as error:
            log("states not written", host=self.host, why=log_safe(error))
            return await self._lost_cells()
        finally:
            self._requeue(batches)
        return set()

    async def release(self) -> None:
        """Write all changes and release the cells at once.

        An interrupted beat may have left unknown revisions. The first beat here is then refused and learns them; the
        second one writes.
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
        """Forget a cell that this host does not own any more."""
        self.cells.discard(cell)
        for key in [each for each in self._leases.revisions if each.startswith(f"{AGENT}.{cell}.")]:
            del self._leases.revisions[key]

    def _batches(self) -> Iterator[ChangeBatch]:
        """Yield batches of changes. Each cell is in at least one batch, each agent in at most one."""
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
        """Return the current entries of a batch, including the lease of each cell."""
        entries: dict[str, bytes] = {}
        for cell, agents in batch.items():
            entries |= self._leases.renewed_entry(str(cell))
            for agent_id, sections in agents:
                if (state := self._engine.states.get(agent_id)) is not None:
                    entries |= {f"{AGENT}.{cell}.{agent_id}.{each}": _encoded(state, each) for each in sections}
        return entries

    def _requeue(self, batches: Iterable[ChangeBatch]) -> None:
        """Mark the changes of unwritten batches as unwritten again."""
        for agent_id, sections in chain.from_iterable(chain.from_iterable(each.values()) for each in batches):
            self._engine.changed.setdefault(agent_id, set()).update(sections)

    async def _lost_cells(self) -> set[int]:
        """Read the owners and revisions of all cells and return the lost ones. Other changes are written with the next
        beat.
        """
        try:
            mine = await self._leases.held_names()
        except WRITE_ERRORS as error:
            logger.warning("leases not readable", host=self.host, why=log_safe(error))
            return set()
        return {cell for cell in self.cells if str(cell) not in mine}


def _encoded(state: SharedState, section: str) -> bytes:
    return orjson.dumps(dict(state.sections[section].values))
