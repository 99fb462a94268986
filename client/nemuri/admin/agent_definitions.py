"""Agent definitions in YAML files, which are checked completely before anything is appended."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from nemuri.client.exchange import ClientError
from nemuri.files.yaml_files import read_yaml
from nemuri_contracts.agents import MAX_LISTED, RESERVED_AGENTS, AgentDefined, Definition, Embedding, PolicyAdopted
from nemuri_contracts.codec import parsed, validation_message
from nemuri_contracts.erasure import AgentErased
from nemuri_contracts.event import AgentEvent, Identifier, derive
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tiered.policy import TiersPolicy

if TYPE_CHECKING:
    from nemuri.client.client import Client

MAX_FILE_BYTES = 1024 * 1024
"""Maximum size of a definition file in bytes."""
P = TypeVar("P", Policy, AffectPolicy, TiersPolicy)
ID_RULE = "1 to 64 letters, digits, `_` or `-`, beginning with a letter or digit"


class DefinitionError(Exception):
    """A file does not define an agent. The message is one line with the file, the place and the fault."""


@dataclass(frozen=True, slots=True)
class AgentFile:
    """The content of a definition file."""

    agent_id: str
    definition: Definition
    policy: Mapping[str, JsonValue] | None
    """Parameters that differ from the defaults; None if the file has none."""


@dataclass(frozen=True, slots=True)
class AddedAgent:
    """The result of adding an agent."""

    agent_id: str
    defined: bool
    """False if the agent had exactly this definition already."""
    policy_adopted: bool


def read_definition(path: Path) -> AgentFile:
    """Return the agent that a YAML file defines.

    The keys of the file are id, role, description, system_prompt, perspectives, principles, memory and policy. A
    perspective is a name, or a mapping of name and keywords. A principle is a text, or a mapping of text and scope (its
    level, project or domain, and its name). Raises `DefinitionError`.
    """
    fields = _mapping(read_yaml(path, MAX_FILE_BYTES, "definition of an agent", DefinitionError), path)
    agent_id = _agent_id(fields.pop("id", None), path)
    policy = fields.pop("policy", None)
    differing = None if policy is None else _differing(fields.get("memory"), policy, path)
    if "perspectives" in fields:
        fields["perspectives"] = _perspectives(fields["perspectives"], path)
    try:
        definition = Definition.model_validate(fields)
    except ValidationError as error:
        raise DefinitionError(f"{path}: {_validation_message(error)}") from error
    if len(definition.principles) > MAX_LISTED:
        raise DefinitionError(f"{path}: principles: write at most {MAX_LISTED}")
    return AgentFile(agent_id, definition, differing)


async def add_agent(client: "Client", file: AgentFile, embedding: Embedding) -> AddedAgent:
    """Define an agent or change its definition, and return when the projections contain the change.

    Adding the same definition and parameters again appends nothing. Raises `ClientError` if the name belonged to an
    erased agent or if the agent has another kind of memory, and `ConflictError` if the agent was changed at the same
    time.
    """
    if (await client.log.newest_on(client.log.subjects.of_agent(file.agent_id, AgentErased))).sequence:
        raise ClientError(f"agent {file.agent_id} was erased, and its name cannot be used again; choose another one")
    newest = await client.log.newest_on(client.log.subjects.of_agent(file.agent_id, AgentDefined))
    known = parsed(newest.data) if newest.sequence else None
    if isinstance(known, AgentDefined) and (kind := known.definition.memory) != file.definition.memory:
        raise ClientError(f"agent {file.agent_id} has {kind} memory, which cannot be changed; choose another name")
    defined = await append_if_changed(
        client, AgentDefined, {"definition": file.definition, "embedding": embedding}, file.agent_id, "definition"
    )
    adopted = file.policy is not None and await append_if_changed(
        client, PolicyAdopted, {"parameters": dict(file.policy)}, file.agent_id, "parameters"
    )
    await client.settle()
    return AddedAgent(file.agent_id, defined, adopted)


async def append_if_changed(
    client: "Client", kind: type[AgentEvent], fields: dict[str, Any], agent_id: str, what: str
) -> bool:
    """Append an event of an agent, unless the agent's last event of this kind has the same value in the field `what`.

    Returns true if the event was appended. Raises `ConflictError` if another event of this kind was appended at the
    same time.
    """
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent_id, kind))
    before = parsed(newest.data) if newest.sequence else None
    said = kind.model_validate(fields | {"event_id": derive(agent_id, kind.kind_of()), "agent_id": agent_id})
    if before is not None and getattr(before, what) == getattr(said, what):
        return False
    content = sha256(said.model_dump_json(include=set(fields)).encode()).hexdigest()
    key = f"{agent_id}/{content}/{before.event_id if before else None}"
    await client.log.append(said.model_copy(update={"event_id": derive(key, kind.kind_of())}), expected=newest.sequence)
    return True


def _mapping(parsed: object, path: Path) -> dict[str, Any]:
    if not isinstance(parsed, dict) or not all(isinstance(key, str) for key in parsed):
        raise DefinitionError(f"{path}: write a mapping with the keys id and role")
    missing = [key for key in ("id", "role") if key not in parsed]
    if missing:
        raise DefinitionError(f"{path}: missing {', '.join(missing)}")
    return dict(parsed)


def _agent_id(value: object, path: Path) -> str:
    try:
        agent_id: str = TypeAdapter(Identifier).validate_python(value, strict=True)
    except ValidationError as error:
        raise DefinitionError(f"{path}: id: {value!r:.80} is not an agent id: {ID_RULE}") from error
    if agent_id in RESERVED_AGENTS:
        raise DefinitionError(f"{path}: id: {agent_id!r} is reserved for the platform; choose another name")
    return agent_id


def read_policy(path: Path) -> Mapping[str, JsonValue]:
    """Return the parameters that a YAML file sets, also if they equal the defaults. Raises `DefinitionError`."""
    policy = checked_policy(read_yaml(path, MAX_FILE_BYTES, "policy", DefinitionError), path)
    given: dict[str, JsonValue] = policy.model_dump(mode="json", exclude_unset=True)
    return given


def checked_policy(value: object, path: Path | str, location: str = "") -> Policy:
    """Return the policy with these parameters. Raises `DefinitionError` if they are invalid.

    `location` is the key under which the file has the parameters. It is used in error messages.
    """
    return _checked(Policy, value, path, location)


def checked_feelings(value: object, path: Path | str, location: str = "") -> AffectPolicy:
    """Return the policy of an affective memory with these parameters. Raises `DefinitionError`."""
    return _checked(AffectPolicy, value, path, location)


def checked_tiers(value: object, path: Path | str, location: str = "") -> TiersPolicy:
    """Return the policy of a tiered memory with these parameters. Raises `DefinitionError`."""
    return _checked(TiersPolicy, value, path, location)


def differing_parameters(memory: str, policy: object) -> dict[str, JsonValue]:
    """Return the parameters of a policy that differ from the defaults of a kind of memory. Raises `DefinitionError`."""
    return _differing(memory, policy, "the request")


def _differing(memory: object, policy: object, path: Path | str) -> dict[str, JsonValue]:
    """Return the parameters of a definition that differ from the defaults of its kind of memory."""
    match memory:
        case "affective":
            return checked_feelings(policy, path, "policy").differing
        case "tiered":
            return checked_tiers(policy, path, "policy").differing
        case _:
            return checked_policy(policy, path, "policy").differing


def _checked(kind: type[P], value: object, path: Path | str, location: str) -> P:
    if not isinstance(value, dict):
        raise DefinitionError(f"{path}: {f'{location}: ' if location else ''}write a mapping of parameters")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise DefinitionError(f"{path}: {f'{location}.' if location else ''}{_validation_message(error)}") from error


def _perspectives(value: object, path: Path) -> object:
    """Return the perspectives of a definition, with each plain name replaced by a mapping with this name.

    Everything else is left for the check of `Definition`. Raises `DefinitionError` if two names are equal except for
    case or spaces at their ends.
    """
    if not isinstance(value, list):
        return value
    whole = [{"name": perspective} if isinstance(perspective, str) else perspective for perspective in value]
    names = [
        perspective["name"]
        for perspective in whole
        if isinstance(perspective, dict) and isinstance(perspective.get("name"), str)
    ]
    seen: dict[str, str] = {}
    for name in names:
        before = seen.setdefault(name.strip().casefold(), name)
        if before is not name:
            raise DefinitionError(f"{path}: perspectives: {before!r} and {name!r} are the same; keep one of them")
    return whole


def _validation_message(error: ValidationError) -> str:
    extra = next((problem for problem in error.errors() if problem["type"] == "extra_forbidden"), None)
    if extra is not None:
        return f"{'.'.join(str(part) for part in extra['loc'])}: there is no such key; check its spelling"
    return validation_message(error)
