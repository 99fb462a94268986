"""Commands for those who study a society: society interview, survey, fork, compare."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import Annotated

import typer

from nemuri.cli.failures import Failure
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli.society_options import AgentArgument, NameArgument, checked_line, society_name, with_log

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="The question.")]


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the society commands."""
    for command in (interview, survey, fork, compare):
        group.command()(command)


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

    session, asked = Session.of(context, json=json), checked_line("QUESTION", question)
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

    session, asked = Session.of(context, json=json), checked_line("QUESTION", question)
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
