"""`python -m tests.faults.fatal_specialist`: a specialist whose process exits at a certain word and is restarted."""

import asyncio
import os
from typing import Any

from nemuri_infra.models.factory import Models
from nemuri_infra.models.protocol import AnswerJob, Reply
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import CountingModel, running_services

FATAL_WORD = "fatal"
"""A question with this word ends the process."""
ANSWER_SECONDS = 0.3
"""Seconds that any other answer takes, so that other events are in work when the process ends."""
DEATH_EXIT_CODE = 77
"""Exit code of a process ended by the word."""


class FatalModel(CountingModel):
    """A model that ends the whole process at the fatal word."""

    async def answer(self, job: AnswerJob) -> Reply[Any]:
        """Exit at the fatal word without closing, logging or raising anything; else answer."""
        if FATAL_WORD in job.question:
            os._exit(DEATH_EXIT_CODE)
        await asyncio.sleep(ANSWER_SECONDS)
        return await super().answer(job)


async def serve() -> None:
    """Serve until the process ends."""
    model = FatalModel()
    async with running_services(Settings(), ["specialist"], models=Models(main=model, light=model)):
        await asyncio.Event().wait()


def main() -> None:
    """Run the specialist in one child process after another, and print a line after each death."""
    while True:
        process = os.fork()
        if process == 0:
            asyncio.run(serve())
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code != DEATH_EXIT_CODE:
            raise SystemExit(f"a life ended with {code}")
        print("died", flush=True)


if __name__ == "__main__":
    main()
