"""A specialist whose process exits when a question contains a certain word, and is then restarted.

Run it as `python -m tests.faults.fatal_specialist`.
"""

import asyncio
import os
from typing import Any

from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import CountingModel, running_services

FATAL_WORD = "fatal"
"""A question that contains this word ends the process."""
ANSWER_SECONDS = 0.3
"""Seconds that any other answer takes, so that other events are still being handled when the process ends."""
DEATH_EXIT_CODE = 77
"""Exit code of a process that the fatal word ended."""


class FatalModel(CountingModel):
    """A model that ends its whole process when a question contains the fatal word."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Answer after `ANSWER_SECONDS`. At the fatal word exit at once instead, without closing, logging or raising
        anything.
        """
        if isinstance(job, AnswerJob):
            if FATAL_WORD in job.question:
                os._exit(DEATH_EXIT_CODE)
            await asyncio.sleep(ANSWER_SECONDS)
        return await super().do(job)


async def serve() -> None:
    """Run the specialist until the process ends."""
    model = FatalModel()
    async with running_services(Settings(), ["specialist"], models=Models(main=model, light=model)):
        await asyncio.Event().wait()


def main() -> None:
    """Run the specialist in a child process. Print a line and start another child after each exit by the fatal word."""
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
