"""Table of the rights of every user. It is written by hand, independently of the code that generates the
permissions.
"""

from nemuri_contracts.codec import EVENTS
from nemuri_services.service_registry import SERVICES

OPERATORS = {"operator", "importer", "eraser"}
ALL = {*SERVICES, *OPERATORS, "provisioner", "host", "world", "ann", "bob"}
IN_THE_ACCOUNT = ALL - {"ann", "bob"}
WITH_HANDLERS = {*SERVICES} - {"projector", "webhooks"}
"""Services with event handlers; each of them also answers requests for a retry."""
ANSWERING = WITH_HANDLERS | {"webhooks"}
"""Services that answer queries or requests for a retry."""
WITH_CLOCK = {"strength-sleep", "tutor", "affective-memory", "affective-nightly", "specialist"}
"""Services that read the platform's clock."""
WITH_TIMERS = ("tutor", "specialist")
"""Services that set timers. Each hears only its own."""
PUBLISHERS: dict[str, set[str]] = {
    "task_chunked": {"intake"},
    "chunk_ready": {"intake"},
    "chunk_summarised": {"intake"},
    "notes_ready": {"intake"},
    "notes_condensed": {"intake"},
    "negotiation_opened": {"intake", "orchestrator"},
    "negotiation_refused": {"intake"},
    "clarification_asked": {"specialist"},
    "clarification_expired": {"specialist"},
    "clarification_refused": {"specialist"},
    "task_summarised": {"intake"},
    "memory_amended": {"intake"},
    "principle_proposed": {"attribution"},
    "principle_decided": {"intake"},
    "memory_refused": {"intake", "conversation", "affective-memory", "tiered-memory"},
    "facts_learned": {"conversation"},
    "task_routed": {"orchestrator"},
    "task_assigned": {"orchestrator", "specialist"},
    "task_completed": {"orchestrator"},
    "task_failed": {"orchestrator"},
    "memories_retrieved": {"specialist"},
    "assignment_stepped": {"specialist"},
    "consultation_ended": {"orchestrator", "specialist"},
    "rebuttal_requested": {"orchestrator"},
    "answer_revised": {"orchestrator", "specialist"},
    "memories_handed_over": {"specialist"},
    "memory_copied": OPERATORS,
    "task_answered": {"specialist"},
    "memories_used": {"attribution"},
    "learnings_extracted": {"attribution"},
    "impact_credited": {"attribution"},
    "feedback_parked": {"attribution"},
    "feedback_refused": {"attribution"},
    "memory_encoded": {"attribution", "conversation", "intake", "semantic-memory", "specialist", "tutor"},
    "session_ended": {"attribution", "tutor"},
    "agent_slept": {"strength-sleep"},
    "memories_consolidated": {"semantic-memory"},
    "memories_judged": {"semantic-memory"},
    "semantic_memory_split": OPERATORS,
    "scorer_trained": {"trainer"},
    "chapter_read": {"tutor"},
    "exercise_graded": {"tutor"},
    "memories_reviewed": {"tutor"},
    "course_finished": {"tutor"},
    "turn_remembered": {"affective-memory"},
    "turn_withdrawn": {"affective-memory"},
    "memories_recalled": {"affective-memory"},
    "context_shown": {"affective-memory"},
    "project_merged": OPERATORS,
    "protection_changed": {"affective-memory"} | OPERATORS,
    "memory_rescoped": OPERATORS,
    "compression_due": {"affective-memory"},
    "memory_compressed": {"affective-memory"},
    "experience_recorded": {"tiered-memory", "host"} | OPERATORS,
    "consolidation_asked": {"tiered-memory"} | OPERATORS,
    "consolidation_begun": {"tiered-memory", "host"} | OPERATORS,
    "formation_due": {"tiered-memory"},
    "memory_formed": {"tiered-memory", "host"} | OPERATORS,
    "memories_accessed": {"tiered-memory", "host"} | OPERATORS,
    "memory_shared": OPERATORS,
    "memories_rewound": OPERATORS,
    "night_fell": {"affective-nightly"},
    "night_passed": {"affective-nightly"},
    "reaction_failed": WITH_HANDLERS,
    "agent_defined": OPERATORS,
    "policy_adopted": OPERATORS,
    "memories_embedded": OPERATORS,
    "embedding_adopted": OPERATORS,
    "memories_erased": OPERATORS,
    "task_erased": OPERATORS,
    "agent_erased": OPERATORS,
    "repetition_withdrawn": OPERATORS,
    "course_begun": OPERATORS,
    "task_reopened": OPERATORS,
    "event_parked": OPERATORS,
    "log_archived": OPERATORS,
}
"""The users that may publish each kind of event about tasks and agents.

Besides them, the importer may publish every kind, and the routing memory may publish `ROUTING_MEMORY_KINDS` for the
orchestrator only.
"""
ROUTING_MEMORY_KINDS = {"agent_defined", "memory_encoded", "memories_used", "session_ended"}
"""Kinds of events that the routing memory may publish, for the orchestrator's own memory only."""
DEFINE_THE_ORGANISATION = {"intake", "attribution"}
"""The services that may define the organisation. They may define no other agent."""
CLIENT_KINDS = {
    "task_submitted", "negotiation_answered", "clarification_answered", "feedback_given", "memory_offered",
    "memory_change_requested", "handover_requested", "principle_decision_given", "turn_offered", "turn_taken_back",
    "experience_offered", "turns_said",
}  # fmt: skip
TUTOR_KINDS = {"task_submitted", "feedback_given"}
ANSWERED_BY = {
    "recall": "specialist",
    "handover-plan": "specialist",
    "courses": "tutor",
    "due": "tutor",
    "affect": "affective-memory",
    "affect-brief": "affective-memory",
    "show-brief": "affective-memory",
    "show-memories": "affective-memory",
    "affect-list": "affective-memory",
    "affect-recall": "affective-memory",
    "affect-memory": "affective-memory",
    "affect-turn": "affective-memory",
    "tiers": "tiered-memory",
    "tiers-recall": "tiered-memory",
    "access-memories": "tiered-memory",
    "tiers-memory": "tiered-memory",
    "webhook-test": "webhooks",
}
"""The service that answers each query. The query API answers all other queries."""


def may_publish(name: str) -> dict[str, set[str]]:
    """Return the users that may publish on each subject of the namespace `name`."""
    expected: dict[str, set[str]] = {}
    for kind, event in EVENTS.items():
        if kind in CLIENT_KINDS:
            expected |= {f"{name}.client.-.{each}.{kind}": {each, "importer"} for each in ("ann", "bob")}
            expected[f"{name}.client.-.cli.{kind}"] = OPERATORS
            expected[f"{name}.client.-.tutor.{kind}"] = {"importer"} | ({"tutor"} if kind in TUTOR_KINDS else set())
        elif event.stream == "operator":
            expected[f"{name}.operator.{kind}"] = PUBLISHERS[kind] | {"importer"}
        elif event.stream == "task":
            expected[f"{name}.task.7.{kind}"] = PUBLISHERS[kind] | {"importer"}
        else:
            expected[f"{name}.agent.-.7.python.{kind}"] = PUBLISHERS[kind] | {"importer"}
            mine = {"routing-memory"} if kind in ROUTING_MEMORY_KINDS else set()
            expected[f"{name}.agent.-.104.orchestrator.{kind}"] = PUBLISHERS[kind] | {"importer"} | mine
            first = DEFINE_THE_ORGANISATION if kind == "agent_defined" else set()
            expected[f"{name}.agent.-.180.organisation.{kind}"] = PUBLISHERS[kind] | {"importer"} | first
    expected |= {f"{name}.agent.-.7.python.made_up": {"importer"}, f"{name}.client.-.ann.agent_slept": {"importer"}}
    questions = [handler.name for service in SERVICES.values() for handler in service.query_handlers]
    expected |= {f"{name}-query.{question}": OPERATORS | {"ann", "bob"} for question in questions}
    expected |= {f"{name}-dead.{each}.7": {each} & WITH_HANDLERS for each in SERVICES}
    expected |= {f"$KV.{name}-tries.{each}.7": {each} & WITH_HANDLERS for each in SERVICES}
    expected |= {f"{name}-query.retry.{handler}": OPERATORS for handler in WITH_HANDLERS}
    expected[f"{name}-projected"] = {"projector"}
    expected |= {f"{name}-timers.set.{timer}.x": {timer} for timer in WITH_TIMERS}
    expected |= {f"{name}-timers.due.{timer}.x": set() for timer in WITH_TIMERS}
    expected |= store_rights(name) | inbox_rights(name) | stream_rights(name) | consumer_rights(name)
    return expected | society_rights(name)


def store_rights(name: str) -> dict[str, set[str]]:
    """Return the users that may publish on each subject that writes to or reads from a store other than the log."""
    embedding = {
        "intake",
        "conversation",
        "semantic-memory",
        "orchestrator",
        "specialist",
        "attribution",
        "routing-memory",
        "tutor",
        "affective-memory",
        "tiered-memory",
    }
    return {
        f"$KV.{name}-vectors.nemuri-words-3.256.abc": embedding | OPERATORS,
        f"$KV.{name}-results.abc": {"query-api", "eraser"},
        f"$KV.{name}-clock.ahead": OPERATORS,
        f"$KV.{name}-webhooks.subscription.abc": OPERATORS,
        f"$KV.{name}-webhooks.progress.abc": OPERATORS | {"webhooks"},
        f"$KV.{name}-webhooks.lease": OPERATORS | {"webhooks"},
        f"$O.{name}-blobs.M.abc": OPERATORS,
        f"$O.{name}-blobs.C.abc": OPERATORS,
        f"$O.{name}-blobs.M.ann.abc": OPERATORS | {"ann"},
        f"$O.{name}-blobs.C.ann.abc.abc.0": OPERATORS | {"ann"},
        f"$O.{name}-blobs.M.bob.abc": OPERATORS | {"bob"},
        f"$JS.API.STREAM.MSG.GET.OBJ_{name}-blobs": {"intake", "specialist"} | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-vectors": embedding
        | {"projector", "affective-nightly", "query-api"}
        | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-results": {"query-api"} | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-clock": WITH_CLOCK | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-webhooks": OPERATORS | {"webhooks"},
        f"$JS.{name}.API.STREAM.MSG.GET.KV_{name}-webhooks": set(),
        f"$JS.{name}.API.STREAM.MSG.GET.OBJ_{name}-blobs": set(),
        f"$JS.{name}.API.DIRECT.GET.OBJ_{name}-blobs": set(),
        f"$JS.{name}.API.DIRECT.GET.OBJ_{name}-blobs.$O.{name}-blobs.M.ann.abc": {"ann"},
        f"$JS.{name}.API.DIRECT.GET.OBJ_{name}-blobs.$O.{name}-blobs.C.bob.abc.abc.0": {"bob"},
        f"$JS.API.DIRECT.GET.OBJ_{name}-blobs.$O.{name}-blobs.M.ann.abc": set(),
        f"$JS.{name}.API.STREAM.MSG.GET.{name}": set(),
    }


def society_rights(name: str) -> dict[str, set[str]]:
    """Return the users that may publish each message of a society or write each of its states, by subject."""
    spoken, states, kept = f"{name}.society.village", f"$KV.{name}-societies.village", f"{name}-checkpoints"
    hosts = {"host"} | OPERATORS
    return {
        f"{spoken}.world.join": {"host"},
        f"{spoken}.world.leave": {"host"},
        f"{spoken}.world.act": {"host"},
        f"{spoken}.vitals.h1": {"host"},
        f"{spoken}.record.host": hosts,
        f"{spoken}.record.operator": OPERATORS,
        f"{spoken}.percepts.h1": {"world"},
        f"{spoken}.world.turning": {"world"},
        f"{states}.society": OPERATORS,
        f"{states}.restoring": OPERATORS,
        f"{states}.agent.0.a00.goals": hosts,
        f"{states}.lease.0": hosts,
        f"{states}.lease.checkpoints": hosts,
        f"{states}.lease.world": {"world"} | OPERATORS,
        f"{states}.world.head": {"world"} | OPERATORS,
        f"$O.{kept}.M.abc": hosts,
        f"$O.{kept}.C.village.1.2": hosts,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-societies": hosts | {"world"},
        f"$JS.API.STREAM.MSG.GET.OBJ_{kept}": hosts,
        f"$JS.API.STREAM.MSG.DELETE.OBJ_{kept}": hosts,
        f"$JS.API.STREAM.PURGE.KV_{name}-societies": OPERATORS,
        f"$JS.API.STREAM.PURGE.OBJ_{kept}": {"eraser"},
        f"$JS.API.STREAM.PURGE.{name}-society-record": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.{name}-society-record.fresh": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.KV_{name}-societies": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.KV_{name}-societies.fresh": hosts,
        f"$JS.API.CONSUMER.MSG.NEXT.KV_{name}-societies.fresh": hosts,
        f"$JS.API.CONSUMER.CREATE.OBJ_{kept}.fresh": OPERATORS,
        f"_INBOX.{name}-host.x": {"world"},
        f"_INBOX.{name}-world.x": set(),
    }


def inbox_rights(name: str) -> dict[str, set[str]]:
    """Return the users that may publish to each inbox, by subject."""
    asked = {f"_INBOX.{name}-{operator}.x": ANSWERING for operator in sorted(OPERATORS)}
    return asked | {f"_INBOX.{name}-strength-sleep.x": set(), "_INBOX.x": set(), "_R_.x.y": ANSWERING}


def stream_rights(name: str) -> dict[str, set[str]]:
    """Return the users that may create, change and purge streams, by subject.

    They are the provisioner and the eraser. Nobody may purge the log.
    """
    expected: dict[str, set[str]] = {}
    beside = (f"{name}-dead", f"{name}-timers", f"KV_{name}-vectors", f"KV_{name}-results", f"OBJ_{name}-blobs")
    society_streams = (f"KV_{name}-societies", f"OBJ_{name}-checkpoints")
    for stream in (name, *beside, *society_streams):
        expected |= {f"$JS.API.STREAM.{verb}.{stream}": {"provisioner"} for verb in ("CREATE", "UPDATE")}
        expected |= {f"$JS.API.STREAM.{verb}.{stream}": set() for verb in ("DELETE", "RESTORE", "SNAPSHOT")}
        expected[f"$JS.API.STREAM.PURGE.{stream}"] = set() if stream == name else {"eraser"}
        expected[f"$JS.API.STREAM.MSG.DELETE.{stream}"] = {"eraser"}
        expected[f"$JS.API.STREAM.INFO.{stream}"] = IN_THE_ACCOUNT
        expected[f"$JS.API.DIRECT.GET.{stream}"] = set()
    expected[f"$JS.API.STREAM.MSG.DELETE.{name}-dead"] = OPERATORS
    expected["$JS.API.STREAM.NAMES"] = {"projector"} | OPERATORS
    expected[f"$JS.API.STREAM.MSG.GET.{name}"] = {*SERVICES, "host"} | OPERATORS
    return expected | {"$JS.API.STREAM.CREATE.other": set(), f"$JS.API.STREAM.MSG.GET.{name}-other": set()}


def consumer_rights(name: str) -> dict[str, set[str]]:
    """Return the users that may create consumers and fetch from them, by subject. A service may fetch only from its
    own.
    """
    readers = {"projector"} | OPERATORS
    expected = {
        f"$JS.API.CONSUMER.CREATE.{name}": readers,
        f"$JS.API.CONSUMER.CREATE.{name}.fresh": readers | {"provisioner", "host"},
        f"$JS.API.CONSUMER.CREATE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.CREATE.{name}.specialist.more": {"provisioner"},
        f"$JS.API.CONSUMER.DURABLE.CREATE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.CREATE.OBJ_{name}-blobs": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.KV_{name}-results": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.KV_{name}-results.fresh": OPERATORS,
        f"$JS.API.CONSUMER.PAUSE.{name}.specialist": {"importer", "eraser"},
        f"$JS.API.CONSUMER.DELETE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.MSG.NEXT.{name}.fresh": readers | {"host"},
        **{f"$JS.API.CONSUMER.MSG.NEXT.{name}-timers.{timer}": {timer} for timer in WITH_TIMERS},
        **{f"$JS.ACK.{name}-timers.{timer}.1.2.3.4.5": {timer} for timer in WITH_TIMERS},
    }
    for service in (
        "intake", "orchestrator", "specialist", "attribution", "routing-memory", "tutor", "query-api", "strength-sleep",
        "trainer",
    ):  # fmt: skip
        expected[f"$JS.API.CONSUMER.MSG.NEXT.{name}.{service}"] = {service}
        expected[f"$JS.ACK.{name}.{service}.1.2.3.4.5"] = {service}
    return expected


def may_subscribe(name: str) -> dict[str, set[str]]:
    """Return the users that may subscribe to each subject. A key `subject queue` means a subscription in a queue
    group.
    """
    expected: dict[str, set[str]] = {
        ">": set(),
        f"{name}.>": set(),
        f"{name}.agent.-.7.python.memory_encoded": set(),
        f"{name}-dead.intake": set(),
        f"{name}-query.>": set(),
        f"{name}-projected": IN_THE_ACCOUNT,
        f"$KV.{name}-results.abc": OPERATORS | {"ann", "bob"},
        f"$KV.{name}-clock.ahead": WITH_CLOCK,
        f"$KV.{name}-webhooks.subscription.abc": {"webhooks"},
        f"$KV.{name}-vectors.>": set(),
        f"$O.{name}-blobs.>": set(),
        "$JS.API.>": set(),
        f"$JS.ACK.{name}.>": set(),
        "_INBOX.>": {"ann", "bob"},
        f"$KV.{name}-societies.>": set(),
        f"{name}.society.>": set(),
        f"{name}.society.village.world.join": {"world"},
        f"{name}.society.village.world.leave": {"world"},
        f"{name}.society.village.world.act": {"world"} | OPERATORS,
        f"{name}.society.village.vitals.*": OPERATORS,
        f"{name}.society.village.percepts.h1": {"host"},
        f"{name}.society.village.world.turning": OPERATORS,
    }
    for role in sorted(IN_THE_ACCOUNT):
        expected[f"_INBOX.{name}-{role}.x"] = {role, "ann", "bob"}
    expected |= {f"{name}-query.retry.{handler} {handler}": {handler} for handler in WITH_HANDLERS}
    for service in SERVICES.values():
        for query in service.query_handlers:
            expected[f"{name}-query.{query.name}"] = set()
            expected[f"{name}-query.{query.name} {service.name}"] = {ANSWERED_BY.get(query.name, "query-api")}
    return expected
