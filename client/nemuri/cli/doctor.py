"""Commands for the health of memories: doctor, memo."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session, agent_id, storable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemuri.admin.advice_adoption import AdoptedAdvice
    from nemuri.client.client import Client
    from nemuri_contracts.health_views import AgentHealth, Finding


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (doctor, memo):
        app.command()(command)


PLATFORM = "platform"
"""Argument of `doctor` that has the deployment checked instead of an agent."""


def doctor(
    context: typer.Context,
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="[AGENT]", help="The agent's id, or `platform` for the deployment. Default: all agents."
        ),
    ] = None,
    named: Annotated[
        str | None, typer.Option("--agent", metavar="AGENT", help="The agent's id, for an agent named platform.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Apply the suggested parameters to the policy.")] = False,
    json: JsonOption = False,
) -> None:
    """Compare measured memory behaviour with its targets, and suggest policy parameters to change. With `platform`,
    check the deployment from end to end.
    """
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    if agent is not None and named is not None:
        raise WrongUse("give the agent as an argument or with --agent, not both")
    if agent == PLATFORM:
        if apply:
            raise WrongUse("--apply changes the policy of an agent; `doctor platform` changes nothing")
        _check_platform(session)
        return
    chosen = named if agent is None else agent
    name = None if chosen is None else agent_id(chosen)

    async def work(client: "Client") -> "tuple[tuple[AgentHealth, ...], list[AdoptedAdvice]]":
        from nemuri.admin import advice_adoption

        found = await client.health(name)
        return found, [await advice_adoption.apply(client, advice) for advice in found] if apply else []

    found, applied = session.run(work)
    changed = {adopted_advice.agent_id: adopted_advice.changed for adopted_advice in applied}
    if session.json:
        say_json([advice.model_dump(mode="json") | {"changed": changed.get(advice.agent_id)} for advice in found])
        return
    if not found:
        say("there are no agents yet; define one with `nemuri agent add FILE.yaml`")
    for health in found:
        _show(health)
        if apply:
            say(_changed_parameters(changed[health.agent_id]))


def _check_platform(session: Session) -> None:
    """Print the findings about the deployment. Raise `Failure` if something is missing."""
    from nemuri.platform.deployment_check import check_deployment
    from nemuri.terminal.output import say, say_json

    found = session.operate("checking the deployment", lambda settings, _: check_deployment(settings))
    if session.json:
        say_json(found)
    else:
        for finding in found:
            say(f"{finding.state:8} {finding.about}: {finding.said}")
    if lacking := [finding.about for finding in found if finding.state == "missing"]:
        raise Failure(f"the deployment lacks {len(lacking)} of what it needs: {', '.join(lacking)}")


def memo(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="The project of the task.")] = None,
    domain: Annotated[
        list[str] | None, typer.Option("--domain", metavar="D", help="A domain of the task; repeatable.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the memory index that an agent receives with each task."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    name = agent_id(agent)
    project, domains = session.setting(project, domain)
    storable(**{"--project": project})
    found = session.run(lambda client: client.memo(name, project=project, domains=domains))
    if session.json:
        say_json(found)
    else:
        say(
            found.memo
            or ("the memory index is empty" if found.limit else "the agent receives no index: index_memo_tokens is 0")
        )


def _show(health: "AgentHealth") -> None:
    from nemuri.admin.principle_lines import principle_lines
    from nemuri.terminal.output import say, table

    say(health.agent_id)
    rows = [
        (
            finding.measure.replace("_", " "),
            "-" if finding.value is None else f"{finding.value:.4g}",
            _range(finding),
            finding.verdict,
            _advised(finding),
        )
        for finding in health.findings
    ]
    table(("measure", "value", "normal", "verdict", "what to do"), rows, numbers=("value",), spare=("normal",))
    if health.never_used:
        say("never used: " + ", ".join(map(str, health.never_used)))
    for line in principle_lines(health):
        say(line)
    if health.waiting is not None:
        say("changed parameters wait for the next sleep already; run `nemuri doctor` again after it")


def _range(finding: "Finding") -> str:
    low, high = finding.normal
    if low is None:
        return "any" if high is None else f"to {high:.4g}"
    return f"from {low:.4g}" if high is None else f"{low:.4g} to {high:.4g}"


def _advised(finding: "Finding") -> str:
    advice = finding.advice
    if advice is None:
        return finding.note
    return f"{finding.note}; {advice.direction} {advice.parameter} from {advice.present} to {advice.proposed}"


def _changed_parameters(changed: "Mapping[str, object]") -> str:
    if not changed:
        return "no changes suggested"
    return "in force from the next sleep: " + ", ".join(f"{name} {value}" for name, value in changed.items())
