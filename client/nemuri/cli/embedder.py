"""Commands for the embedder: embedder show, calibrate."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING

import typer

from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.operations.embedder import EmbedderState
    from nemuri_contracts.memory_views import CalibrationView


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    about = "Show or calibrate the embedder: what makes texts similar."
    group = typer.Typer(no_args_is_help=True, help=about, rich_markup_mode=None)
    group.command("show")(show)
    group.command("calibrate")(calibrate)
    app.add_typer(group, name="embedder")


def show(context: typer.Context, json: JsonOption = False) -> None:
    """Show the configured embedder, its thresholds and where they come from."""
    from nemuri.operations.embedder import show_embedder

    session = Session.of(context, json=json)
    _say(session.operate("reading", show_embedder), session)


def calibrate(context: typer.Context, json: JsonOption = False) -> None:
    """Measure the configured embedder on the platform's memories, and use the thresholds that follow."""
    from nemuri.operations.embedder import calibrate_embedder

    session = Session.of(context, json=json)
    _say(session.operate("measuring", calibrate_embedder), session)


def thresholds_line(found: "CalibrationView") -> str:
    """Return the thresholds of an embedder as text."""
    named = {"relevance": found.relevance, "recall": found.recall, "same": found.same}
    return ", ".join(f"{name} {value:.2f}" for name, value in named.items())


def origin(found: "CalibrationView") -> str:
    """Return as text where the thresholds of an embedder come from."""
    match found.source:
        case "built-in":
            return "built in"
        case "measured":
            return f"measured on {found.sample} texts of the memories"
        case "assumed":
            return "assumed until there are enough memories"


def _say(found: "EmbedderState", session: Session) -> None:
    from nemuri.terminal.output import say, say_json

    if session.json:
        say_json({"embedding": found.embedding, "calibration": found.calibration})
        return
    calibration = found.calibration
    say(f"embedder    {found.embedding.model}, {found.embedding.dimension} numbers")
    say(f"centre      {calibration.centre:.3f}")
    say(f"scale       {calibration.scale:.2f}")
    say(f"thresholds  {thresholds_line(calibration)}")
    say(f"source      {origin(calibration)}")
