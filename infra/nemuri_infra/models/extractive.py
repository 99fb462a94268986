"""The extractive model. It is not a language model: it does jobs by rules, and quotes sentences of its sources."""

import asyncio
from functools import cached_property
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.protocol import EXTRACTIVE, Job, T


class ExtractiveModel:
    """A model that quotes instead of writing. It is deterministic, works offline and costs nothing. It never fails."""

    name: Final = EXTRACTIVE

    @cached_property
    def _one_slow_job(self) -> asyncio.Lock:
        return asyncio.Lock()

    @property
    def understands(self) -> bool:
        """False: it quotes what it is given."""
        return False

    async def do(self, job: Job[T]) -> Reply[T]:
        """Return the value that the job has without a language model. Slow jobs run in a thread, one at a time."""
        usage = Usage(model=job.stand_in)
        if not job.slow:
            return Reply(job.without_model(), usage)
        async with self._one_slow_job:
            # In a thread, one at a time. A chunk takes about 20 ms, and the event loop stays free meanwhile.
            return Reply(await asyncio.to_thread(job.without_model), usage)

    async def aclose(self) -> None:
        """Do nothing. This model has no connections."""
