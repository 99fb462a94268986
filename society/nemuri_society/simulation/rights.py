"""Rights on the NATS server of the processes of societies, and of operators."""

from nemuri_contracts.tiered import ConsolidationBegun, ExperienceRecorded, MemoriesAccessed, MemoryFormed
from nemuri_infra.bus.access import inbox
from nemuri_infra.runtime.permissions import Permissions
from nemuri_infra.runtime.rights import API, Rights, publishing, subscribing
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.stores.society_record import record_stream
from nemuri_society.stores.society_states import AGENT, LEASE, SPENDING, WORLD, checkpoints_bucket, societies_bucket

MEMORY_EVENTS = (ExperienceRecorded, ConsolidationBegun, MemoryFormed, MemoriesAccessed)
"""Kinds of events that hosts append about the memories of their agents, and operators when they move memories."""


def host_rights(permissions: Permissions) -> Rights:
    """Return the rights of an agent host, for all societies: the leases of cells (groups of agents), the states of
    agents, the usage of models, checkpoints, and the record.

    It may not write the state or the lease of a world.
    """
    name = permissions.subjects.namespace
    subjects, states, kept = SocietySubjects(name), societies_bucket(name), checkpoints_bucket(name)
    told = publishing(
        subjects.joining("*"), subjects.leaving("*"), subjects.acts("*"), subjects.vitals("*"),
        subjects.record("*", "host"),
    )  # fmt: skip
    written = publishing(f"$KV.{states}.*.{LEASE}.*", f"$KV.{states}.*.{AGENT}.>", f"$O.{kept}.>")
    written |= publishing(f"$KV.{states}.*.{SPENDING}.*")
    messages = (f"GET.KV_{states}", f"GET.OBJ_{kept}", f"DELETE.OBJ_{kept}")
    laid = publishing(*(f"{API}.STREAM.MSG.{message}" for message in messages))
    read = permissions.reading(permissions.subjects.stream) | permissions.reading(f"KV_{states}")
    heard = subscribing(subjects.percepts("*"))
    return told | written | laid | read | heard | Rights(denied=frozenset({f"$KV.{states}.*.{LEASE}.{WORLD}"}))


def world_rights(permissions: Permissions) -> Rights:
    """Return the rights of a world process: exchange messages with hosts, and read and write the states of worlds.

    It may not create consumers.
    """
    name = permissions.subjects.namespace
    subjects, states = SocietySubjects(name), societies_bucket(name)
    hosts = f"{inbox(permissions.user('host'))}.>"
    told = publishing(subjects.percepts("*"), subjects.world_health("*"), hosts)
    written = publishing(f"$KV.{states}.*.{WORLD}.*", f"$KV.{states}.*.{LEASE}.{WORLD}")
    heard = subscribing(*(subject("*") for subject in (subjects.joining, subjects.leaving, subjects.acts)))
    return told | written | heard | publishing(f"{API}.STREAM.MSG.GET.KV_{states}")


def operator_rights(permissions: Permissions) -> Rights:
    """Return the right to start, watch, restore and delete societies, and to write their records. First memories, those
    of a fork, and those that come back with a checkpoint are appended by an operator.
    """
    name = permissions.subjects.namespace
    subjects, states, kept = SocietySubjects(name), societies_bucket(name), checkpoints_bucket(name)
    written = publishing(f"$KV.{states}.>", f"{API}.STREAM.PURGE.KV_{states}")
    told = publishing(subjects.record("*"), f"{API}.STREAM.PURGE.{record_stream(name)}")
    laid = publishing(f"$O.{kept}.>", f"{API}.STREAM.MSG.DELETE.OBJ_{kept}")
    remembered = publishing(*(subject for kind in MEMORY_EVENTS for subject in permissions.subjects.of_kind(kind)))
    heard = (subjects.acts, subjects.vitals, subjects.world_health)
    return remembered | written | told | laid | subscribing(*(subject("*") for subject in heard))
