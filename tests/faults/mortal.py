"""`python -m tests.faults.mortal`: a specialist whose process dies of a word, and is started again after each death."""

import asyncio
import os
from typing import Any

from nemuri_infra.models.factory import Models
from nemuri_infra.models.protocol import AnswerJob, Reply
from nemuri_infra.runtime.settings import Settings
from tests.integration.scene import CountingModel, at_work

FATAL = "fatal"
"""The word."""
THINKING = 0.3
"""Seconds that any other answer takes: the word ends the process while others are in work."""
DEATH = 77
"""With what exit code the process dies of it."""


class Mortal(CountingModel):
    """A model in whose library something ends the whole process."""

    async def answer(self, job: AnswerJob) -> Reply[Any]:
        """Of the word there is no way back: nothing is closed, said or caught."""
        if FATAL in job.question:
            os._exit(DEATH)
        await asyncio.sleep(THINKING)
        return await super().answer(job)


async def live() -> None:
    """Serve until the process ends."""
    model = Mortal()
    async with at_work(Settings(), ["specialist"], models=Models(main=model, light=model)):
        await asyncio.Event().wait()


def main() -> None:
    """One life after another, each in a process of its own; says so of each death."""
    while True:
        process = os.fork()
        if process == 0:
            asyncio.run(live())
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code != DEATH:
            raise SystemExit(f"a life ended with {code}")
        print("died", flush=True)


if __name__ == "__main__":
    main()
