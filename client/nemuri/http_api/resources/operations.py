"""Operations: erasures, rebuilds and verifications run beside the request; each has an id under which it is shown."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.operations import erasure
from nemuri.web import long_operations
from nemuri.web.operation_registry import Operation, Work
from nemuri.web.problems import Problem
from nemuri_contracts.event import Identifier, Label, Value
from nemuri_infra.projections.erasure_lineage import Thing

RESOURCE = Resource("operations", "Long operations: erasure, rebuild and verification.")


class OperationView(Value):
    """An operation that runs or has ended. It is remembered until the server ends."""

    operation_id: UUID
    name: str
    started_by: str
    """Client that started it."""
    started_at: datetime
    ended_at: datetime | None
    status: Literal["running", "done", "failed"]
    done: int
    """Units of work that are done."""
    total: int
    """Units of work in all; 0 while it is unknown."""
    outcome: dict[str, JsonValue] | None
    problem: str | None
    """Reason of the failure, in one line."""

    @classmethod
    def of(cls, operation: Operation) -> "OperationView":
        """Return an operation as a value."""
        return cls.model_validate({name: getattr(operation, name) for name in cls.model_fields})


class Operations(Value):
    """The operations of this server, newest first."""

    operations: tuple[OperationView, ...]


class OperationRequest(Value):
    """An operation to start."""

    name: Literal["verify", "rebuild"]
    from_start: bool = False
    """With `rebuild`: read the whole log and use no snapshot."""


class ErasureRequest(Value):
    """The choice between an erasure and a list of what it would take."""

    dry_run: bool = False
    """True to show what would be erased, and why. Nothing is changed."""


class ErasedThing(Value):
    """A thing that is erased."""

    sort: Literal["memory", "task", "agent", "course"]
    name: str
    why: str


class ErasureAnswer(Value):
    """The content of an erasure, and the operation that carries it out."""

    dry_run: bool
    things: tuple[ErasedThing, ...]
    """Everything that is derived from the thing is erased with it."""
    operation: OperationView | None
    """Null for a dry run."""


@RESOURCE.get("/operations", operator=True)
async def list_operations(call: Call) -> Operations:
    """List the operations of this server, newest first."""
    return Operations(operations=tuple(map(OperationView.of, call.context.operations.all())))


@RESOURCE.get("/operations/{operation_id}", operator=True)
async def show_operation(call: Call, operation_id: UUID) -> OperationView:
    """Show the progress and the outcome of an operation."""
    found = call.context.operations.find(operation_id)
    if found is None:
        raise Problem(404, f"there is no operation {operation_id}; operations are forgotten when the server ends")
    return OperationView.of(found)


@RESOURCE.post("/operations", operator=True, status=202, located=True)
async def start_operation(call: Call, body: OperationRequest) -> OperationView:
    """Start an operation: `verify` compares the views with the log, `rebuild` folds them again."""
    settings = call.context.settings
    verifying = body.name == "verify"
    work = (
        long_operations.verification(settings)
        if verifying
        else long_operations.rebuild(settings, from_start=body.from_start)
    )
    return _started(call, body.name, work)


@RESOURCE.post("/memories/{memory_id}/forget", operator=True, status=202, located=True, alternatives=(200,))
async def forget_memory(call: Call, memory_id: UUID, body: ErasureRequest) -> ErasureAnswer:
    """Erase a memory with everything derived from it: from the log, the views and every file."""
    await call.client.memory(memory_id)
    return await _erased(call, Thing("memory", memory_id), body)


@RESOURCE.post("/tasks/{task_id}/forget", operator=True, status=202, located=True, alternatives=(200,))
async def forget_task(call: Call, task_id: UUID, body: ErasureRequest) -> ErasureAnswer:
    """Erase a task with everything that was learned from it alone."""
    await call.client.progress(task_id)
    return await _erased(call, Thing("task", task_id), body)


@RESOURCE.post("/agents/{agent_id}/forget", operator=True, status=202, located=True, alternatives=(200,))
async def forget_agent(call: Call, agent_id: Identifier, body: ErasureRequest) -> ErasureAnswer:
    """Erase an agent with its memories."""
    await call.client.agents(agent_id)
    return await _erased(call, Thing("agent", agent_id), body)


@RESOURCE.post("/persons/{person}/forget", operator=True, status=202, located=True, alternatives=(200,))
async def forget_person(call: Call, person: Label, body: ErasureRequest) -> ErasureAnswer:
    """Erase everything that belongs to a person, in all agents, with everything derived from it."""
    return await _erased(call, Thing("person", person), body)


async def _erased(call: Call, thing: Thing, asked: ErasureRequest) -> ErasureAnswer:
    """Return what an erasure takes, and start it unless it is a dry run. Raises `OperationError` if it is forbidden."""
    found = await erasure.lineage(call.context.settings, [thing])
    things = tuple(
        ErasedThing(sort=erased_thing.sort, name=str(erased_thing.name), why=why)
        for erased_thing, why in found.reasons.items()
    )
    if asked.dry_run:
        call.status = 200
        return ErasureAnswer(dry_run=True, things=things, operation=None)
    return ErasureAnswer(
        dry_run=False,
        things=things,
        operation=_started(call, "erase", long_operations.erasure(call.context.settings, thing)),
    )


def _started(call: Call, name: str, work: Work) -> OperationView:
    operation = call.context.operations.start(name, call.principal.client_id, work)
    call.locate("operations", operation.operation_id)
    return OperationView.of(operation)
