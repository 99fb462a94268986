"""The command that serves MCP over standard input and output: mcp."""

from typing import Annotated

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session, agent_id

AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="The agent whose memory is used. Default: NEMURI_MCP_AGENT."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(mcp)


def mcp(context: typer.Context, agent: AgentOption = None) -> None:
    """Serve an agent's memory to an assistant as an MCP server on standard input and output.

    Without an agent, each call of a tool names one. The platform need not run yet.
    """
    session = Session.of(context)
    if session.json:
        raise WrongUse("--json does not apply: standard output carries the messages of the protocol")
    settings = session.settings()
    name = agent if agent is not None else settings.mcp_agent
    bound_to = None if name is None else agent_id(name)

    import asyncio

    from nemuri.mcp_server.stdio import serve_stdio  # takes a second, which a wrong option need not wait for

    session.set_up_logging("nemuri-mcp")
    asyncio.run(serve_stdio(settings, bound_to))
