"""Commands for those who study a society: society interview, survey, inject, pause, step, continue, fork, compare."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import Annotated, Literal

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli.society_options import AgentArgument, NameArgument, society_name, with_log

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="The question.")]


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the society commands."""
    for command in (interview, survey, inject, pause, step):
        group.command()(command)
    group.command("continue")(go_on)
    group.command()(fork)
    group.command()(compare)


def interview(
    context: typer.Context,
    name: NameArgument,
    agent: AgentArgument,
    question: QuestionArgument,
    json: JsonOption = False,
) -> None:
    """Ask an agent a question aside. It will not remember it. Without a language model its state is told."""
    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.interviews import interview as ask

    session, asked = Session.of(context, json=json), _question(question)
    answer = with_log(session, lambda log, settings: ask(log, settings, name, agent, asked), start=True)
    if session.json:
        say_json(answer.model_dump(mode="json"))
    else:
        say(f"{answer.name}, second {answer.second:.0f}: {answer.answer}")


def survey(
    context: typer.Context,
    name: NameArgument,
    question: QuestionArgument,
    json: JsonOption = False,
) -> None:
    """Ask all agents a question aside, and print the answers as CSV, or as JSON with --json."""
    import csv
    import io

    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.interviews import Interview
    from nemuri_society.operations.interviews import survey as ask

    session, asked = Session.of(context, json=json), _question(question)
    answers = with_log(session, lambda log, settings: ask(log, settings, name, asked), start=True)
    rows = [answer.model_dump(mode="json") for answer in answers]
    if session.json:
        say_json(rows)
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, [*Interview.model_fields], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    say(text.getvalue().rstrip("\n"))


def inject(
    context: typer.Context,
    name: NameArgument,
    agent: AgentArgument,
    belief: Annotated[
        str | None, typer.Option("--belief", metavar="TEXT", help="What it believes from now on.")
    ] = None,
    event: Annotated[str | None, typer.Option("--event", metavar="TEXT", help="What it perceives now.")] = None,
    law: Annotated[
        str | None, typer.Option("--law", metavar="TEXT", help="A law that holds for it from now on.")
    ] = None,
) -> None:
    """Give an agent a belief, an event or a law, in a running society or before it goes on."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_steering import inject as give

    given: list[tuple[Literal["belief", "event", "law"], str | None]] = [
        ("belief", belief), ("event", event), ("law", law)
    ]  # fmt: skip
    texts = [(sort, text) for sort, text in given if text is not None]
    if len(texts) != 1:
        raise WrongUse("give exactly one of --belief, --event and --law")
    [(sort, text)] = texts
    _line(f"--{sort}", text)
    session = Session.of(context)
    resident, has_it = with_log(session, lambda log, _: give(log, name, agent, sort, text), start=True)
    when = "has" if has_it else f"will get, when {name} goes on,"
    say(f"{resident.name} {when} the {sort}: {text}")


def pause(context: typer.Context, name: NameArgument) -> None:
    """Let the clock of a running society stand still."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_steering import pause_society

    second = with_log(Session.of(context), lambda log, _: pause_society(log, name), start=False)
    say(f"{name} stands still at second {second:.2f}")


def step(
    context: typer.Context,
    name: NameArgument,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0.01, max=86_400, help="Seconds of its clock.")
    ] = 1.0,
) -> None:
    """Let a running society go on for some seconds, and stand still afterwards."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_steering import step_society

    second = with_log(Session.of(context), lambda log, _: step_society(log, name, seconds), start=False)
    say(f"{name} stands still at second {second:.2f}")


def go_on(context: typer.Context, name: NameArgument) -> None:
    """Let the clock of a paused society run on."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.society_steering import continue_society

    second = with_log(Session.of(context), lambda log, _: continue_society(log, name), start=False)
    say(f"{name} runs on from second {second:.2f}")


def fork(
    context: typer.Context,
    name: NameArgument,
    other: Annotated[
        str, typer.Option("--as", metavar="OTHER", callback=society_name, help="Name of the new society.")
    ],
    checkpoint: Annotated[
        str, typer.Option("--checkpoint", metavar="WHICH", help="The checkpoint, or `newest`.")
    ] = "newest",
) -> None:
    """Make a new society of a checkpoint of another one, with its memories and its record."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.fork import fork_society

    session = Session.of(context)
    try:
        made = with_log(session, lambda log, _: fork_society(log, name, checkpoint, other), start=True)
    except FileExistsError as error:
        raise Failure(f"{error}; choose another name") from error
    say(f"{made.name} has {len(made.agents)} agents; run it with `nemuri society resume {made.name}`")


def compare(
    context: typer.Context,
    name: NameArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The other society.", callback=society_name)],
    json: JsonOption = False,
) -> None:
    """Compare what two societies have on record, such as a fork and the one that it was made of."""
    from nemuri.terminal.output import say_json
    from nemuri_society.operations.comparison import compare_societies
    from nemuri_society.operations.console_output import print_comparison

    session = Session.of(context, json=json)
    found = with_log(session, lambda log, _: compare_societies(log, name, other), start=True)
    if session.json:
        say_json(found.model_dump(mode="json"))
    else:
        print_comparison(found)


def _question(text: str) -> str:
    return _line("QUESTION", text)


def _line(what: str, text: str) -> str:
    """Return a text if it is one of 1 to 1,000 characters. Raise `WrongUse` otherwise."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_society.contracts.residents import Line

    try:
        return TypeAdapter(Line).validate_python(text)
    except ValidationError:
        raise WrongUse(f"{what} must have 1 to 1,000 characters, without control characters") from None
