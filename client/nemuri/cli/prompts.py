"""The command `prompts`, which shows the texts that are sent to language models."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri_infra.models.prompt_library import Prompt


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(prompts)


def prompts(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of a prompt, whose texts are shown. Default: list all.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the prompts that are sent to language models, with their versions."""
    from nemuri.cli.failures import Failure
    from nemuri.terminal.output import say, say_json, table
    from nemuri_infra.models.prompt_library import PromptError, prompt, prompt_names

    session = Session.of(context, json=json)
    try:
        found = [prompt(prompt_name) for prompt_name in ([name] if name else prompt_names())]
    except PromptError as error:
        raise Failure(str(error)) from None
    if session.json:
        say_json(_as_json(found[0]) if name else [_as_json(template) for template in found])
    elif name:
        say(f"{found[0].label}\n\n# System\n\n{found[0].system}")
        if found[0].user:
            say(f"\n# User\n\n{found[0].user}")
    else:
        rows = [(template.name, str(template.version), ", ".join(sorted(template.placeholders))) for template in found]
        table(("name", "version", "placeholders"), rows, numbers=("version",))


def _as_json(of: "Prompt") -> dict[str, Any]:
    return {"name": of.name, "version": of.version, "system": of.system, "user": of.user}
