"""Commands for teaching agents: teach, courses, clock."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from nemuri.cli.failures import EXIT_TIMEOUT, Failure, WrongUse
from nemuri.cli.id_arguments import id_argument
from nemuri.cli.operation_options import takes
from nemuri.cli.session import Deadline, JsonOption, Session, TimeoutOption, agent_id
from nemuri_contracts.education import TeachingOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemuri.client.client import Client
    from nemuri_contracts.client_events import Scope
    from nemuri_contracts.education_views import ChapterReport, CourseReport, CoursesView

POLL_INTERVAL = 0.5
"""Seconds between two polls of a running course."""
_STEP = re.compile(r"([0-9]+(?:\.[0-9]+)?)([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (teach, courses, clock):
        app.command()(command)


@takes(TeachingOptions)
def teach(
    context: typer.Context,
    agent: AgentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The textbook.")],
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="Valid in this project only.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="D", help="Valid in this domain only.")] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait for the end of the course.")] = False,
    timeout: TimeoutOption = 600.0,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Teach an agent from a textbook. For each chapter it reads, sleeps, is tested and sleeps again."""
    from nemuri.files.textbooks import read_textbook
    from nemuri.terminal.output import printable, say, say_json, waiting

    session, name, limit = Session.of(context, json=json), agent_id(agent), Deadline(timeout)
    textbook, scope = read_textbook(file), session.scope(project, domain)

    async def work(client: "Client") -> "tuple[UUID, CoursesView | None]":
        [taught] = await client.agents(name)
        if textbook.perspective not in {None, *taught.definition.perspective_names}:
            without = f"{name} has no perspective {textbook.perspective!r}, so it reads the textbook without one"
            print(printable(without), file=sys.stderr)
        course_id = await client.teach(name, textbook, scope=scope, **options)
        if no_wait:
            return course_id, None
        with waiting(f"{name} reads {textbook.title}") as show:
            return course_id, await _until_finished(client, name, course_id, limit, show)

    course_id, view = session.run(work, limit)
    if view is None:
        if session.json:
            say_json({"course_id": course_id})
        else:
            say(f"course {course_id} has started; `nemuri courses {name}` shows its progress")
    elif session.json:
        say_json(view.courses[0])
    else:
        _show(view)


def courses(
    context: typer.Context,
    agent: AgentArgument,
    course: Annotated[UUID | None, id_argument("course", "Id of one course, or a prefix of it.", "[COURSE]")] = None,
    json: JsonOption = False,
) -> None:
    """Show all courses of an agent, or one course with all its exercises."""
    from nemuri.terminal.output import say, say_json

    session, name = Session.of(context, json=json), agent_id(agent)

    view = session.run(lambda client: client.courses(name, course))
    if session.json:
        say_json(view)
    elif not view.courses:
        say(f"{name} has no courses yet; `nemuri teach {name} FILE.yaml` starts one")
    else:
        _show(view)


def clock(
    context: typer.Context,
    advance: Annotated[
        str | None, typer.Option("--advance", metavar="STEP", help="Move the clock forward, by 3d, 12h or 90m.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the platform's clock, which decides when exercises are due, or move it forward.

    Moving the clock is for simulations that cannot wait for days. It moves forward only, and for all agents.
    """
    from nemuri.terminal.output import say, say_json
    from nemuri_infra.stores.platform_clock import MAX_OFFSET

    session = Session.of(context, json=json)
    step = None if advance is None else _step(advance)

    async def work(client: "Client") -> "tuple[datetime, timedelta, int]":
        due = await client.due(await client.clock() + step) if step and step <= MAX_OFFSET else 0
        return await client.clock(step), await client.clock_offset(), due

    now, ahead, due = session.run(work)
    if session.json:
        moved = {"due": due} if step else {}
        say_json({"now": now.isoformat(), "ahead_seconds": ahead.total_seconds(), **moved})
        return
    say(f"{now:%Y-%m-%d %H:%M:%S} UTC, {f'{ahead} ahead of real time' if ahead else 'real time'}")
    if step:
        say(f"{due} {'exercise' if due == 1 else 'exercises'} became due")


def _step(text: str) -> timedelta:
    found = _STEP.fullmatch(text.strip())
    try:
        step = timedelta(**{_UNITS[found[2]]: float(found[1])}) if found else timedelta()
    except OverflowError:
        step = timedelta()
    if not step:
        raise WrongUse(f"{text!r:.40} is not a time span: write a number above 0 and d, h or m, such as 3d")
    return step


async def _until_finished(
    client: "Client", name: str, course_id: UUID, limit: Deadline, show: "Callable[[str], None]"
) -> "CoursesView":
    from nemuri.client.deadlines import Expired, within

    try:
        async with within(limit.seconds_left):
            while (view := await client.courses(name, course_id)).courses[0].finished_at is None:
                show(_doing(view.courses[0]))
                await asyncio.sleep(POLL_INTERVAL)  # polled, because no message announces a course's progress
    except Expired:
        raise Failure(
            f"course {course_id} is not finished after {limit.seconds:g} s and continues: `nemuri courses {name}`",
            EXIT_TIMEOUT,
        ) from None
    return view


def _doing(course: "CourseReport") -> str:
    """Return the course's current step as text, such as "reads chapter 1 of 3, Values"."""
    at = max((number for number, section in enumerate(course.chapters) if section.read), default=0)
    chapter = course.chapters[at]
    progress = f"chapter {at + 1} of {len(course.chapters)}, {chapter.title}"
    if not chapter.read:
        return f"reads {progress}"
    if not chapter.slept:
        return f"sleeps over {progress}"
    return f"is tested on {progress}: {chapter.right + chapter.wrong} of {chapter.exercises} answered"


def _show(view: "CoursesView") -> None:
    from nemuri.terminal.output import say, short, table

    for course in view.courses:
        say(f"{course.title} ({course.course_id}){_where(course.scope)}: {_standing(course)}")
        columns = ("chapter", "read", "slept", "memories", "archived", "strength", "right", "wrong", "next")
        table(
            columns,
            [_row(section) for section in course.chapters],
            numbers=("memories", "archived", "strength", "right", "wrong"),
        )
        if spent := _spent(course):
            say(f"reading cost {spent}")
        for chapter in course.chapters:
            for exercise in chapter.details:
                for answer in exercise.answers:
                    say(f"  {'right' if answer.correct else 'wrong'}  {answer.graded_at:%Y-%m-%d}  {exercise.question}")
                    if not answer.correct:
                        say(f"         answered: {short(answer.answer) if answer.answer else 'nothing'}")
                    say(f"         task {answer.task_id}")
                    if answer.reason:
                        say(f"         not graded: {answer.reason}")
                    if answer.missing:
                        say(f"         missing: {', '.join(answer.missing)}")
                    if answer.note:
                        say(f"         because: {answer.note}")
                    if not answer.correct:
                        say(f"         reviewed {len(answer.reviewed)} memories")


def _spent(course: "CourseReport") -> str:
    """Return the numbers of tokens that language models read and wrote for the course; "" if there are none."""
    usages = [chapter.usage for chapter in course.chapters if chapter.usage]
    read, wrote = sum(usage.input_tokens for usage in usages), sum(usage.output_tokens for usage in usages)
    models = ", ".join(dict.fromkeys(usage.model for usage in usages))
    return f"{read:,} + {wrote:,} tokens ({models})" if read or wrote else ""


def _where(scope: "Scope") -> str:
    return "" if scope.name is None else f" in {scope.level} {scope.name}"


def _standing(course: "CourseReport") -> str:
    return f"finished on {course.finished_at:%Y-%m-%d}" if course.finished_at else _doing(course)


def _row(chapter: "ChapterReport") -> tuple[object, ...]:
    yes = {True: "yes", False: "-"}
    strength = "-" if chapter.strength is None else f"{chapter.strength:.2f}"
    due = f"{chapter.due_at:%Y-%m-%d}" if chapter.due_at else "-"
    tested = (chapter.right, chapter.wrong) if chapter.exercises else ("-", "-")
    been = (yes[chapter.read], yes[chapter.slept])
    return (chapter.title, *been, chapter.memories, chapter.archived, strength, *tested, due)
