"""Which cells a host keeps, and how what its agents become is kept: leases and write-behind in one (002 §6, PIANO.md).

Every beat writes what has changed together with the leases of the cells concerned, all against the revisions that this
host knows. A host that was thought dead and is not finds its first batch refused, and lets go of what is not its own.
"""

from collections.abc import Iterable, Iterator, Mapping

import orjson
import structlog
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError

from nemuri.contracts.society import Society
from nemuri.domain.cognition.engine import Engine
from nemuri.domain.cognition.sections import VOLATILE
from nemuri.domain.cognition.state import SharedState
from nemuri.infra.observation.errors import said
from nemuri.infra.stores.states import BATCH, RevisionError, States
from nemuri.services.society.leases import Leases, key_of

REFUSED = (RevisionError, TimeoutError, NatsError, JetStreamError)
"""What keeps a batch from being written, or from being known to be."""

logger = structlog.get_logger()


class Keeping:
    """The cells of one host."""

    def __init__(self, host: str, society: Society, states: States, engine: Engine) -> None:
        """Keeps nothing yet."""
        self.host = host
        self.cells: set[int] = set()
        self._society, self._engine = society, engine
        self._leases = Leases(host, states)
        self._cell_of = {each.id: nth for nth in range(society.cells) for each in society.cell(nth)}

    async def free(self) -> list[int]:
        """The cells that nobody keeps, as far as this host has seen."""
        others = [str(cell) for cell in range(self._society.cells) if cell not in self.cells]
        return [int(name) for name in await self._leases.free(others)]

    async def take(self, cell: int, second: float) -> list[SharedState] | None:
        """Take a cell that nobody keeps: its agents as they were written last; None where somebody else was faster."""
        if not await self._leases.take(str(cell)):
            return None
        values: dict[str, dict[str, Mapping[str, object]]] = {}
        async for entry in self._leases.states.read(f"agent.{cell}.>"):
            _, _, agent_id, section = entry.key.split(".")
            values.setdefault(agent_id, {})[section] = orjson.loads(entry.value)
            self._leases.known[entry.key] = entry.revision
        self.cells.add(cell)
        residents = {each.id: each for each in self._society.cell(cell)}
        for agent_id, resident in residents.items():
            born = {"name": resident.name, "town": resident.town, **resident.profile}
            values.setdefault(agent_id, {}).setdefault("profile", born)
        return [SharedState.of(agent_id, values[agent_id], second) for agent_id in residents]  # type: ignore[arg-type]

    async def beat(self) -> set[int]:
        """Write what has changed; the cells that turned out to be somebody else's, whose agents are to go."""
        batches = list(self._batches())
        while batches:
            try:
                await self._leases.write(batches[0])
            except REFUSED as error:
                logger.warning("not written", host=self.host, why=said(error))
                self._back(key for batch in batches for key in batch)
                return await self._lost()
            batches.pop(0)
        return set()

    async def release(self) -> None:
        """Write what has changed, and let anybody have the cells at once.

        A beat that was cut off on its way has left revisions that this host does not know: then the first one here is
        refused and learns them, and the second writes.
        """
        for _ in range(2):
            self.cells -= await self.beat()
            if not self._engine.changed:
                break
        try:
            await self._leases.release(map(str, self.cells))
        except REFUSED as error:
            logger.warning("not released", host=self.host, why=said(error))

    def let_go(self, cell: int) -> None:
        """A cell is not kept here any more."""
        self.cells.discard(cell)
        for key in [each for each in self._leases.known if each.startswith(f"agent.{cell}.")]:
            del self._leases.known[key]

    def _batches(self) -> Iterator[dict[str, bytes]]:
        """What has changed, with the lease of each cell that is concerned; every lease is in one batch at least."""
        changed, self._engine.changed = self._engine.changed, {}
        of_cell: dict[int, dict[str, bytes]] = {cell: {} for cell in self.cells}
        for agent_id, sections in changed.items():
            cell, state = self._cell_of[agent_id], self._engine.states.get(agent_id)
            if state is not None and cell in of_cell:
                for section in sections - VOLATILE:
                    of_cell[cell][f"agent.{cell}.{agent_id}.{section}"] = _encoded(state, section)
        batch: dict[str, bytes] = {}
        for cell, entries in of_cell.items():
            keys = list(entries)
            for start in range(0, max(1, len(keys)), BATCH - 1):
                some = keys[start : start + BATCH - 1]
                if len(batch) + len(some) + 1 > BATCH:
                    yield batch
                    batch = {}
                batch |= self._leases.stamped(str(cell)) | {key: entries[key] for key in some}
        if batch:
            yield batch

    def _back(self, keys: Iterable[str]) -> None:
        """What was not written is still to be written."""
        for key in keys:
            if not key.startswith(key_of("")):
                _, _, agent_id, section = key.split(".")
                self._engine.changed.setdefault(agent_id, set()).add(section)

    async def _lost(self) -> set[int]:
        """Look whose the cells are, and at which revisions; what is ours still is written with the next beat."""
        try:
            mine = await self._leases.mine()
        except REFUSED as error:
            logger.warning("nothing to be read", host=self.host, why=said(error))
            return set()
        return {cell for cell in self.cells if str(cell) not in mine}


def _encoded(state: SharedState, section: str) -> bytes:
    return orjson.dumps(dict(state.sections[section].values))
