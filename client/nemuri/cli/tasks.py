"""Commands for tasks: ask, submit, result, answer, feedback."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args
from uuid import UUID

import typer

from nemuri.cli.failures import EXIT_FAILURE, EXIT_TIMEOUT, Failure, WrongUse
from nemuri.cli.id_arguments import id_argument, id_option
from nemuri.cli.operation_options import takes
from nemuri.cli.result_lines import feedback_line, next_command, question_lines, show_result
from nemuri.cli.session import Deadline, JsonOption, KeyOption, Session, TimeoutOption, storable
from nemuri_contracts.client_events import AGENT_OPTION, FeedbackOptions, GroupOption, TaskOptions

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri.terminal.output import ProgressLine
    from nemuri_contracts.task_views import TaskResult

TaskArgument = Annotated[UUID, id_argument("task", "The task's id as `submit` printed it, or a prefix of it.")]
TextArgument = Annotated[str, typer.Argument(metavar="TEXT", help="The text of the task.")]
FilesOption = Annotated[
    list[Path] | None, typer.Option("--file", metavar="F", help="A .txt, .md or .pdf document; repeatable.")
]
SummaryOption = Annotated[
    Path | None,
    typer.Option("--summary", metavar="F", help="A file with your summary of the documents. The platform makes none."),
]
NoQuestionsOption = Annotated[bool, typer.Option("--no-questions", help="Let the agent ask nothing back.")]
ItemOption = Annotated[
    list[int] | None,
    typer.Option(
        "--item", metavar="N", min=1, help="With most_important: number of an item to keep, from 1; up to ten times."
    ),
]


ITEM_OPTIONS = (*get_args(GroupOption), "as_one")
"""The ways to continue a task with too many items."""
LAST_STATUS_TIMEOUT = 2.0
"""Seconds for one last query of a task's status after the timeout."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (ask, submit, result, answer, feedback):
        app.command()(command)


@takes(TaskOptions)
def ask(
    context: typer.Context,
    text: TextArgument,
    file: FilesOption = None,
    summary: SummaryOption = None,
    no_questions: NoQuestionsOption = False,
    key: KeyOption = None,
    timeout: TimeoutOption = 120.0,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Submit a task and wait for its answer."""
    session = Session.of(context, json=json)
    limit = Deadline(timeout)
    options = _wish(text, file, summary, key, options, no_questions=no_questions) | {"streamed": _streams(session)}

    async def work(client: "Client") -> "TaskResult":
        return await _follow(client, await _submitted(client, text, options, limit), limit, session)

    found = session.run(work, limit)
    if found.status == "clarification" and not session.json and sys.stdin.isatty() and sys.stdout.isatty():
        found = _answer_at_once(found, session, timeout)
    show_result(found, session)


@takes(TaskOptions)
def submit(
    context: typer.Context,
    text: TextArgument,
    file: FilesOption = None,
    summary: SummaryOption = None,
    no_questions: NoQuestionsOption = False,
    key: KeyOption = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Submit a task and print its id without waiting for the answer."""

    session = Session.of(context, json=json)
    options = _wish(text, file, summary, key, options, no_questions=no_questions)
    task_id = session.run(lambda client: client.submit(text, **options))
    session.tell({"task_id": task_id}, str(task_id))


def result(
    context: typer.Context, task: TaskArgument, timeout: TimeoutOption = 120.0, json: JsonOption = False
) -> None:
    """Wait for a task's answer and show it."""
    session = Session.of(context, json=json)
    limit = Deadline(timeout)
    show_result(session.run(lambda client: _follow(client, task, limit, session), limit), session)


def answer(
    context: typer.Context,
    task: TaskArgument,
    option: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER",
            help="most_important, all, by_category, as_one, or agent:NAME; for a question of the agent, any text.",
        ),
    ],
    item: ItemOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a task that waits for you: its agent's question, or a choice of items or of the agent."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    storable(ANSWER=option)
    if item and option != "most_important":
        raise WrongUse("--item needs the option most_important")

    async def work(client: "Client") -> bool:
        standing = await client.progress(task)
        if standing.clarification is not None and standing.status != "negotiation" and not item:
            await client.answer_question(task, option)
            return True
        if option not in ITEM_OPTIONS and not option.startswith(AGENT_OPTION):
            waiting = f"there is no option {option!r}; use {', '.join(ITEM_OPTIONS)}, or {AGENT_OPTION}NAME"
            raise WrongUse(f"{waiting}. Task {task} has no open question")
        await client.answer(task, option, items=item or ())
        return False

    question = session.run(work)
    if session.json:
        said = {"text": option} if question else {"option": option, "items": item or []}
        say_json({"task_id": task} | said)
    else:
        say(f"the task continues; wait for it with `{next_command(session, f'result {task}')}`")


@takes(FeedbackOptions)
def feedback(
    context: typer.Context,
    task: TaskArgument,
    verdict: Annotated[
        Literal["helpful", "unhelpful"] | None,
        typer.Argument(
            metavar="[VERDICT]", show_default=False, help="The quality of the answer: helpful or unhelpful."
        ),
    ] = None,
    prevented_error: Annotated[
        UUID | None, id_option("memory", "--prevented-error", "The memory that prevented an error.")
    ] = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Give feedback on a task's answer."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    told = session.run(lambda client: client.feedback(task, verdict, prevented_error=prevented_error, **options))
    if session.json:
        say_json(told)
    elif told.standing != "refused":
        say(feedback_line(told))
    if told.standing == "refused":
        raise typer.Exit(EXIT_FAILURE) if session.json else Failure(feedback_line(told), EXIT_FAILURE)


def _wish(
    text: str,
    files: list[Path] | None,
    summary: Path | None,
    key: str | None,
    options: dict[str, Any],
    *,
    no_questions: bool,
) -> dict[str, Any]:
    """Return the arguments of `Client.submit`, including the texts of the files.

    Raises `WrongUse` or `InputError` for invalid texts and files, before the platform is asked.
    """
    from nemuri.files.documents import read_document

    storable(TEXT=text)
    if no_questions and options.get("question_minutes"):
        raise WrongUse("--no-questions and --question-minutes contradict each other; use one of them")
    options |= {"question_minutes": 0.0} if no_questions else {}
    options |= {"summary": read_document(summary).text} if summary else {}
    documents = [read_document(path) for path in files or ()]
    return options | {"key": key, "documents": [(document.name, document.text) for document in documents]}


def _answer_at_once(found: "TaskResult", session: Session, timeout: float) -> "TaskResult":
    """Show the agent's question on the terminal, read the answer, and return the task's result.

    With an empty answer the agent goes on with its assumption when its time is over. The time of reading does not count
    as waiting.
    """
    from nemuri.terminal.output import say

    say(question_lines(found))
    said = typer.prompt("your answer (empty to give none)", default="", show_default=False)
    limit = Deadline(timeout)

    async def work(client: "Client") -> "TaskResult":
        if said.strip():
            await client.answer_question(found.task_id, said)
        return await _follow(client, found.task_id, limit, session)

    return session.run(work, limit)


async def _submitted(client: "Client", text: str, options: dict[str, Any], limit: Deadline) -> UUID:
    from nemuri.client.exchange import CallTimeoutError

    try:
        return await client.within(limit.seconds_to_submit).submit(text, **options)
    except CallTimeoutError as error:
        raise Failure(f"the submission was not confirmed within {limit.seconds:g} s", EXIT_TIMEOUT) from error


async def _follow(client: "Client", task: UUID, limit: Deadline, session: Session) -> "TaskResult":
    """Wait for the task's result and return it, with the used and the learned memories if the time suffices.

    The answer is printed as soon as it arrives, and on a terminal while it is written, except with JSON output. Raises
    `Failure` if the task is not done in time.
    """
    from nemuri.client.exchange import PassingError
    from nemuri.client.task_waiting import TaskTimeoutError
    from nemuri.terminal.draft_printer import DraftPrinter
    from nemuri.terminal.output import reading, say_json

    with reading("on its way") as line:
        printer = DraftPrinter(line)
        on_draft = printer.show if _streams(session) else None
        try:
            found = await client.result(task, timeout=limit.seconds_left, on_progress=_shown(line), on_draft=on_draft)
            if found.status == "done" and not session.json:
                printer.finish(found.answer or "")
            return await client.result(task, timeout=limit.seconds_left, settled=True)
        except TaskTimeoutError as error:
            later = f"`{next_command(session, f'result {task}')}`"
            try:
                found = await client.within(LAST_STATUS_TIMEOUT).progress(task)
            except PassingError:
                raise Failure(f"{error}: {later}", EXIT_TIMEOUT) from error
            if found.status == "done":
                return found
            if session.json:
                say_json(found)
            late = f"task {task} is not done after {limit.seconds:g} s ({found.progress}) and continues"
            raise Failure(f"{late}: {later}", EXIT_TIMEOUT) from None


def _streams(session: Session) -> bool:
    """Return True if the answer is printed while it is written: on a terminal, without JSON output."""
    return sys.stdout.isatty() and not session.json


def _shown(line: "ProgressLine") -> Callable[["TaskResult"], None] | None:
    """Return a function that shows the progress of a task, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None

    def shown(standing: "TaskResult") -> None:
        line.update(standing.progress or "on its way", standing.points, standing.chunks if standing.points else 0)

    return shown
