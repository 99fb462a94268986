"""The calibrations of a namespace's embedders. They are stored beside the vectors, one for each generation."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from nemuri_infra.embeddings.calibrated import calibrate
from nemuri_infra.embeddings.calibration import Calibration
from nemuri_infra.embeddings.protocol import Embedder

CHECK_SECONDS: Final = 30.0
"""Seconds after which a process looks for a new calibration, or whether there are enough memories for one."""
_NAME: Final = "calibration"


def calibration_key(generation: str) -> str:
    """Return the key of the calibration of a generation of vectors."""
    return f"{generation}.{_NAME}"


def is_calibration(key: str) -> bool:
    """Return whether a key of the vector store belongs to a calibration."""
    return key.endswith(f".{_NAME}")


@dataclass(frozen=True, slots=True)
class _Known:
    """A calibration as it was read."""

    calibration: Calibration | None
    revision: int
    read_at: float


@dataclass(slots=True)
class Calibrations:
    """The stored calibrations, read at most every `CHECK_SECONDS`, so that a retrieval costs no further request."""

    store: KeyValue
    _known: dict[str, _Known] = field(default_factory=dict)
    _counted: dict[str, float] = field(default_factory=dict)

    async def of(self, embedder: Embedder) -> Calibration:
        """Return the calibration in force: the embedder's own, or the stored one, or an assumption."""
        if embedder.calibration is not None:
            return embedder.calibration
        found = await self._current(embedder)
        return found.calibration or Calibration.unknown()

    async def begin(self, embedder: Embedder) -> None:
        """Calibrate an embedder on general texts, unless it has a calibration. Raises as the embedder does."""
        if embedder.calibration is None and (await self._current(embedder)).calibration is None:
            await self._replace(embedder, await calibrate(embedder, None, "assumed"), lambda known: known is None)

    async def settle(self, embedder: Embedder, measured: Calibration) -> None:
        """Store the first measured calibration. Does nothing if another process was first."""
        await self._replace(embedder, measured, lambda known: known is None or known.source != "measured")

    async def put(self, embedder: Embedder, measured: Calibration) -> None:
        """Store a calibration in place of any other."""
        await self._replace(embedder, measured, lambda _: True)

    def may_count(self, generation: str) -> bool:
        """Return whether it is time to count the memories again for a first measurement."""
        if monotonic() - self._counted.get(generation, -CHECK_SECONDS) < CHECK_SECONDS:
            return False
        self._counted[generation] = monotonic()
        return True

    async def _current(self, embedder: Embedder) -> _Known:
        known = self._known.get(_generation(embedder))
        if known is not None and monotonic() - known.read_at < CHECK_SECONDS:
            return known
        return await self._read(embedder)

    async def _read(self, embedder: Embedder) -> _Known:
        generation = _generation(embedder)
        try:
            entry = await self.store.get(calibration_key(generation))
        except KeyNotFoundError:
            found = _Known(None, 0, monotonic())
        else:
            found = _Known(_decoded(entry.value or b"", embedder), entry.revision or 0, monotonic())
        before = self._known.get(generation)
        if before is not None and before.revision == found.revision:
            found = _Known(before.calibration, found.revision, found.read_at)
        self._known[generation] = found
        return found

    async def _replace(
        self, embedder: Embedder, made: Calibration, wanted: Callable[[Calibration | None], bool]
    ) -> None:
        key = calibration_key(_generation(embedder))
        while wanted((known := await self._read(embedder)).calibration):
            try:
                await self.store.update(key, made.encoded(), last=known.revision)
            except KeyWrongLastSequenceError:
                continue  # another process was first; decide again by its calibration
            await self._read(embedder)
            return


def _generation(embedder: Embedder) -> str:
    return f"{embedder.model}.{embedder.dimension}"


def _decoded(data: bytes, embedder: Embedder) -> Calibration | None:
    try:
        return Calibration.decoded(data, embedder.dimension)
    except (ValueError, KeyError, TypeError):
        logging.getLogger(__name__).warning("the calibration of %s is damaged and is made again", embedder.model)
        return None
