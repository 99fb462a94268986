"""The command `scorer`, which shows an agent's learned scorer."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING

import typer

from nemuri.cli.memories import AgentArgument
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from nemuri_contracts.scorers import ScorerView


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(scorer)


def scorer(context: typer.Context, agent: AgentArgument, json: JsonOption = False) -> None:
    """Show an agent's learned scorer: its status, its quality and its weights."""
    from nemuri.terminal.output import say, say_json, table

    session = Session.of(context, json=json)
    name = agent_id(agent)
    found: ScorerView = session.run(lambda client: client.scorer(name))
    if session.json:
        say_json(found)
        return
    lines = {"ranking": found.ranking, "standing": found.standing, **_trained(found)}
    lines["waiting"] = missing_samples(found.gathered, found.wanted)
    width = max(map(len, lines))
    for title, value in lines.items():
        say(f"{title:{width}}  {value}")
    rows = [
        (f"{importances.linear:.2f}", "none" if importances.learned is None else f"{importances.learned:.2f}", feature)
        for feature, importances in found.features.items()
    ]
    table(("linear", "learned", "feature"), rows, numbers=("linear", "learned"))


def missing_samples(gathered: int, wanted: int) -> str:
    """Return the progress towards the next training as text, such as "12 of 50 samples until the next training"."""
    if gathered < wanted:
        return f"{gathered} of {wanted} samples until the next training"
    return f"{gathered} samples, {wanted} are required for a training"


def _trained(found: "ScorerView") -> dict[str, str]:
    if found.version is None:
        return {}
    version = found.version
    return {
        "version": f"{version.number}, trained at {version.trained_at:%Y-%m-%d %H:%M}",
        "trained on": f"{version.samples} samples of {version.tasks} tasks",
    }
