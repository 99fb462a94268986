"""The demo: start a platform, ask questions in two rounds, print the tables, verify the projections."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from nemuri.admin.agent_definitions import AgentFile
from nemuri.client.connection import connected
from nemuri.client.exchange import ClientError
from nemuri.demo.agents import define
from nemuri.demo.demo_platform import open_platform
from nemuri.demo.questions import QUESTIONS, Question
from nemuri.demo.scenario import DemoRecord, play
from nemuri.demo.screen import Screen
from nemuri.demo.tables import strengths, summary
from nemuri.demo.texts import topics
from nemuri.operations.views import verify
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.settings import Settings

OWN: Final = (
    "No key and no network: the extractive model answers by quoting, and a built-in table of words hears meaning. "
    "All numbers come from the log and its views."
)
SLEEPS: Final = 24
"""Number of sleeps over which the introduction compares two policies."""


async def run(
    settings: Settings,
    console: Console,
    *,
    data: Path | None = None,
    questions: Sequence[Question] = QUESTIONS,
    running: bool = False,
) -> int:
    """Run the demo on a platform of its own, or on the one that is `running`.

    Return the exit code: 0, or 1 if the projections differ from the log.

    With `data`, the platform's data are kept in this directory. Otherwise they are removed at the end, also after
    cancellation.
    """
    return (await perform(settings, console, data=data, questions=questions, running=running))[1]


async def perform(
    settings: Settings,
    console: Console,
    *,
    data: Path | None = None,
    questions: Sequence[Question] = QUESTIONS,
    running: bool = False,
) -> tuple[DemoRecord, int]:
    """Run the demo, and return its record with the exit code.

    Raises `ClientError` if a task fails or `data` is in use already, `TextsMissing`, and the errors of starting a
    platform.
    """
    started = time.monotonic()
    with Screen(console, total=2 * len(questions)) as screen:
        screen.doing("connecting" if running else "starting nats-server and PostgreSQL")
        async with open_platform(settings, data, running=running) as addressed:
            async with connected(addressed, "cli") as client:
                if await client.agents():
                    raise ClientError("the demo needs a platform without agents, and this one has some")
                files = await define(client, addressed)
                _introduce(screen, files, questions)
                if not running:
                    screen.say(OWN)
                played = await play(
                    client, questions, told=screen.show_progress, done=screen.done, interval=screen.interval
                )
            _conclude(screen, played)
            code = await _verified(screen, addressed)
    took = time.monotonic() - started
    screen.say(f"{2 * len(questions)} tasks in {took:.0f} s, including start and stop.")
    return played, code


def _introduce(screen: Screen, files: Sequence[AgentFile], questions: Sequence[Question]) -> None:
    known = topics()
    characters = sum(map(len, known.values()))
    screen.say(
        f"{len(files)} agents, {len(questions)} questions, all but one asked twice, about the language reference that "
        f"this Python ships: {len(known)} topics, {characters:,} characters."
    )
    usual, policy = Policy(), Policy.of(files[0].policy or {})
    screen.say(
        f"Policy of these agents: memories fade by tasks, not by the clock, and {policy.expected_tasks_per_day:g} task "
        f"instead of {usual.expected_tasks_per_day:g} counts as a day, so that fading can be seen here. After {SLEEPS} "
        f"sleeps an unused memory keeps {policy.rate(0) ** SLEEPS:.2f} of its strength; with "
        f"{usual.expected_tasks_per_day:g} tasks a day it would keep {usual.rate(0) ** SLEEPS:.2f}."
    )
    screen.say(
        "“Praised” means that the client gave the feedback helpful and success, which credits the used memories."
    )
    for file in files:
        screen.say(f"  {file.agent_id}: {', '.join(file.definition.perspective_names)}")
    screen.chapter("Every question once, with its document")


def _conclude(screen: Screen, played: DemoRecord) -> None:
    screen.chapter("Strength of the learned memories before and after the second round")
    screen.console.print(strengths(played, screen.console.width), soft_wrap=False)
    screen.say()
    for sentence in summary(played):
        screen.say(sentence)
    slow, fast = (sum(asked_question.seconds for asked_question in asked) for asked in (played.first, played.second))
    screen.say(f"The first round took {slow:.1f} s, the second {fast:.1f} s.")


async def _verified(screen: Screen, settings: Settings) -> int:
    """Compare the projections with the log, print the result, and return the exit code."""
    screen.doing("verifying")
    found = await verify(settings)
    screen.say()
    screen.say(f"verify: {len(found.differences)} differences in {found.rows} rows")
    for difference in found.differences:
        screen.say(f"  {difference}")
    return 1 if found.differences else 0
