"""The command for conversations: converse."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, Session, agent_id, storable
from nemuri_contracts.conversations import ConversationOptions

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri.client.conversations import Learned


def register(app: typer.Typer) -> None:
    """Add the command of this module to `app`."""
    app.command()(converse)


@takes(ConversationOptions)
def converse(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|-", help="Messages as OpenAI's and Anthropic's clients have them: a JSON list, or JSON lines."
        ),
    ],
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", metavar="NAME", help="Name of the conversation that goes on. Default: the file's name."
        ),
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait for what is learned.")] = False,
    existing: Annotated[
        bool, typer.Option("--existing", help="Refuse an unknown agent. By default it is made, and a line says so.")
    ] = False,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Hand over a conversation to an agent, and show what it learns. What it knows already is not read again."""
    from nemuri.files.message_files import read_message_file

    session, name = Session.of(context, json=json), agent_id(agent)
    storable(**{"--conversation": conversation})
    messages = read_message_file(file)
    title = conversation or (None if str(file) == "-" else file.stem)

    async def hand_over(client: "Client") -> "Learned":
        about = {"conversation": title, "create": not existing, "wait": not no_wait, **options}
        planned = await client.converse(name, messages, **(about | {"dry_run": True}))
        if planned.calls > 1 and not options.get("dry_run"):
            print(_planned(planned), file=sys.stderr)
        return planned if options.get("dry_run") else await client.converse(name, messages, **about)

    learned = session.run(hand_over)
    if options.get("dry_run") and not session.json:
        print(f"{_planned(learned)}; nothing is handed over")
    else:
        _show(learned, session)


def _planned(learned: "Learned") -> str:
    calls = "1 call" if learned.calls == 1 else f"{learned.calls} calls"
    return f"{learned.left_turns} new turns, at most {calls} of the light model"


def _show(learned: "Learned", session: Session) -> None:
    from nemuri.terminal.output import say, say_json, short

    if session.json:
        say_json(
            {
                "conversation": learned.conversation,
                "new_turns": learned.new_turns,
                "calls": learned.calls,
                "left_turns": learned.left_turns,
                "facts": [fact.model_dump(mode="json") for fact in learned.facts],
                "left_out": dict(learned.left_out),
            }
        )
        return
    for fact in learned.facts:
        say(f"{fact.memory_id}  {fact.memory.kind or 'said':11} {short(fact.memory.content, 90)}")
    if learned.left_turns:
        say(f"{learned.left_turns} new turns are left; the same command hands over the next ones")
    left = "".join(f", {number} {what}{'s' * (number > 1)} left out" for what, number in learned.left_out.items())
    say(f"{learned.new_turns} new turns in {learned.conversation}, {len(learned.facts)} memories{left}")
