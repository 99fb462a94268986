"""Operator commands for affective memory: protect, release and rescope memories, and choose parameters.

They are not methods of the client, because they append to the agent's own subject, where clients may not publish.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from nemuri.admin.agent_definitions import (
    MAX_FILE_BYTES,
    AgentFile,
    DefinitionError,
    add_agent,
    append_if_changed,
    checked_feelings,
)
from nemuri.client.exchange import ClientError
from nemuri.files.documents import read_bounded
from nemuri.files.yaml_files import read_yaml
from nemuri_contracts.affective import MemoryRescoped, ProtectionChanged
from nemuri_contracts.affective_views import AffectMemoryView, AffectView
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, PolicyAdopted
from nemuri_contracts.event import derive
from nemuri_domain.affective.policy import PROFILES, AffectPolicy
from nemuri_infra.bus.event_log import ConflictError

if TYPE_CHECKING:
    from nemuri.client.client import Client

PLATFORM_SECTIONS = ("version", "embedding", "llm")
"""Sections of the configuration file of document 001 that are settings of the platform, not parameters of an agent."""
MAX_NAMED = 3
"""Number of protected memories, oldest first, that the error message names if the limit of protection is reached."""


async def protect(client: "Client", agent: str, name: str, *, protected: bool) -> tuple[AffectMemoryView, bool]:
    """Protect a memory from forgetting, or release it, and return when the projections contain the change.

    Returns the memory before the change, and True if it was changed. Raises `ClientError`, with nothing changed, if the
    memory is unknown or archived, if the limit of protected memories is reached, or if protection was changed at the
    same time.
    """
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, ProtectionChanged))
    await client.settle()
    memory = await client.affect_memory(agent, name)
    if memory.protection == ("protected" if protected else "none"):
        return memory, False
    if protected:
        _check(memory, await client.affect(agent))
    kind = ProtectionChanged.kind_of()
    event = ProtectionChanged(
        event_id=derive(f"{memory.memory_id}/{protected}/{newest.sequence}", kind),
        agent_id=agent,
        memory_id=memory.memory_id,
        protected=protected,
    )
    try:
        await client.log.append(event, expected=newest.sequence)
    except ConflictError as error:
        raise ClientError(f"the protected memories of {agent} were changed meanwhile; try again") from error
    await client.settle()
    return memory, True


async def rescope(
    client: "Client",
    agent: str,
    name: str,
    *,
    about_user: bool | None = None,
    project: str | None = None,
    only_asked: bool | None = None,
) -> tuple[AffectMemoryView, bool]:
    """Say where a memory matters, and return when the projections contain the change. What is None stays as it is.

    Returns the memory after the change, and True if it was changed. Raises `ClientError`, with nothing changed, if the
    memory is unknown, if nothing is said, or if another memory was rescoped at the same time.
    """
    if about_user is None and project is None and only_asked is None:
        raise ClientError("say whether the memory is about the user, to which project it belongs, or when it is shown")
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, MemoryRescoped))
    await client.settle()
    memory = await client.affect_memory(agent, name)
    about = memory.concern == "user" if about_user else memory.personal
    present = {"about_user": about, "project": memory.project, "only_asked": memory.only_asked}
    wanted = {"about_user": about_user, "project": project, "only_asked": only_asked}
    changes = {name: value for name, value in wanted.items() if value is not None and value != present[name]}
    if not changes:
        return memory, False
    event_id = derive(f"{memory.memory_id}/{newest.sequence}", MemoryRescoped.kind_of())
    event = MemoryRescoped(event_id=event_id, agent_id=agent, memory_id=memory.memory_id, **changes)
    try:
        await client.log.append(event, expected=newest.sequence)
    except ConflictError as error:
        raise ClientError(f"another memory of {agent} was rescoped meanwhile; try again") from error
    await client.settle()
    return await client.affect_memory(agent, str(memory.memory_id)), True


def _check(memory: AffectMemoryView, view: AffectView) -> None:
    if memory.archived:
        raise ClientError(f"{memory.label} is archived and cannot be protected before a recall has brought it back")
    if view.protected >= view.limit:
        oldest = ", ".join(affect_memory.label for affect_memory in view.oldest_protected[:MAX_NAMED])
        advice = f"; release one with `nemuri affect {view.agent_id} unprotect MEMORY`, the oldest: {oldest}"
        raise ClientError(f"{view.protected} of {view.limit} memories are protected{advice if oldest else ''}")


def read_parameters(path: Path) -> tuple[AffectPolicy, tuple[str, ...]]:
    """Return the parameters in a YAML or JSON file, and the names of the sections that were ignored.

    Sections in `PLATFORM_SECTIONS` are ignored. Raises `DefinitionError` if the file is invalid.
    """
    found = _read(path)
    if not isinstance(found, dict):
        raise DefinitionError(f"{path}: write a mapping of parameters")
    elsewhere = tuple(section for section in PLATFORM_SECTIONS if section in found)
    return checked_feelings({key: value for key, value in found.items() if key not in elsewhere}, path), elsewhere


def _read(path: Path) -> Any:
    if path.suffix.lower() != ".json":
        return read_yaml(path, MAX_FILE_BYTES, "configuration", DefinitionError)
    content = read_bounded(path, MAX_FILE_BYTES, "; that is too large for a configuration", DefinitionError)
    try:
        return orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise DefinitionError(f"{path}:{error.lineno}:{error.colno}: malformed JSON: {error.msg}") from error


class PreparedAgent(NamedTuple):
    """The result of preparing an agent with a parameter profile."""

    defined: bool
    """True if the agent did not exist and was defined by this call."""
    adopted: bool
    """True if the profile changed the agent's parameters."""
    own: bool
    """True if the agent keeps parameters that somebody chose for it."""
    later: bool
    """True if the new parameters take effect with the next nightly job."""


async def prepare(client: "Client", agent: str, profile: str, embedding: Embedding, *, replace: bool) -> PreparedAgent:
    """Define the agent of a coding assistant if it does not exist, and adopt the parameters of a profile.

    Parameters that somebody chose for the agent are kept unless `replace` is set. Raises `ClientError`, with nothing
    changed, if the agent has another kind of memory.
    """
    policy = PROFILES[profile]
    if not (await client.log.newest_on(client.log.subjects.of_agent(agent, AgentDefined))).sequence:
        definition = Definition(role="the memory of a coding assistant", memory="affective")
        await add_agent(client, AgentFile(agent, definition, policy.differing), embedding)
        return PreparedAgent(defined=True, adopted=True, own=False, later=False)
    view = await client.affect(agent)
    present = AffectPolicy.of(view.parameters if view.coming is None else view.coming)
    if not replace and present not in (policy, AffectPolicy()):
        return PreparedAgent(defined=False, adopted=False, own=True, later=False)
    adopted = await adopt(client, agent, policy)
    later = (await client.affect(agent)).coming is not None
    return PreparedAgent(defined=False, adopted=adopted, own=False, later=later)


async def adopt(client: "Client", agent: str, policy: AffectPolicy) -> bool:
    """Adopt parameters for an agent. Return false if the agent has them already.

    Returns when the projections contain the change. The parameters take effect at once if the agent has had no nightly
    job yet, otherwise with its next one. Raises `ClientError` if the agent has another kind of memory, or if its
    parameters were changed at the same time.
    """
    await client.affect(agent)
    try:
        adopted = await append_if_changed(client, PolicyAdopted, {"parameters": policy.differing}, agent, "parameters")
    except ConflictError as error:
        raise ClientError(f"the parameters of {agent} were changed meanwhile; try again") from error
    await client.settle()
    return adopted


def back_to_defaults(before: AffectView, policy: AffectPolicy) -> list[str]:
    """Return the names of the parameters that differed from the defaults before, and that `policy` does not give."""
    present = before.parameters if before.coming is None else before.coming
    given = _names(policy.model_dump(mode="json", exclude_unset=True))
    return [name for name in _names(AffectPolicy.of(present).differing) if name not in given]


def _names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters, each with its section."""
    return [f"{section}.{name}" for section, some in parameters.items() for name in some]
