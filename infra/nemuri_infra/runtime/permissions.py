"""Permissions on the NATS server, derived from the declarations of the services.

All services share the namespace's account. A consumer or a direct get makes the server deliver stored messages to a
subject of the caller's choice, past the caller's permissions. So in this account only the projector, operators and
processes of extensions may create consumers, and nobody may use direct gets. For the same reason every client has an
account of its own. The namespace's account exports to it only the subjects that a client needs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from nemuri_contracts.affective import ProtectionChanged
from nemuri_contracts.agents import ORGANISATION, AgentDefined
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import OPERATOR, ClientEvent, Event
from nemuri_contracts.subjects import Subjects
from nemuri_contracts.tiered import ConsolidationAsked
from nemuri_infra.bus.access import INBOX, inbox
from nemuri_infra.process.extensions import parts
from nemuri_infra.runtime.consumer_pauses import pauses_bucket
from nemuri_infra.runtime.extension_stores import extension_stores
from nemuri_infra.runtime.provisioning import TIMER_SERVICES, Durable, timers_durable
from nemuri_infra.runtime.rights import API, Rights, consuming, publishing, subscribing
from nemuri_infra.runtime.service import Capability, Service
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.delivery_attempts import attempts_bucket
from nemuri_infra.stores.objects import object_stream
from nemuri_infra.stores.platform_clock import clock_bucket
from nemuri_infra.stores.results import result_bucket, result_subject
from nemuri_infra.stores.snapshots import snapshot_bucket
from nemuri_infra.stores.vectors import vector_bucket
from nemuri_infra.stores.webhooks import PROGRESS, SUBSCRIPTION, lease_subject, webhook_bucket, webhook_subject

QUERY_ROLES = ("operator", "importer", "eraser")
"""Roles that send queries inside the namespace's account. They receive the answers on their own inboxes."""
REPLY_SUBJECTS = "_R_.>"
"""Subjects on which services answer requests from other accounts."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """The permissions of all users of one namespace."""

    subjects: Subjects
    services: Mapping[str, Service]

    def user(self, role: str) -> str:
        """Return the NATS user name of a role (a service or a kind of operator). It is unique over all namespaces."""
        return f"{self.subjects.namespace}-{role}"

    def client_user(self, client: str) -> str:
        """Return the NATS user name of a client. Its account has the same name."""
        return self.user(f"client-{client}")

    def roles(self) -> dict[str, Rights]:
        """Return the rights of each role in the namespace's account, by role.

        The roles are the services and the kinds of operators: `operator`, `importer`, `eraser` and `provisioner`.
        """
        found = {name: self._service(service) for name, service in self.services.items()}
        found |= {"operator": self._operator(), "importer": self._importer(), "eraser": self._eraser()}
        found |= {"provisioner": self._provisioner()}
        return {role: rights | self._everybody(role) for role, rights in found.items()}

    def client(self, client: str) -> Rights:
        """Return a client's rights: append client events in its own name, upload inputs, send queries and receive
        results.
        """
        said = self._appending(client, (kind for kind in EVENTS.values() if issubclass(kind, ClientEvent)))
        handed_in = publishing(*self._folder(client), *self.store_requests(client))
        return said | self._querying() | handed_in | subscribing(f"{INBOX}.>")

    def store_requests(self, client: str) -> tuple[str, ...]:
        """Return the subjects of the requests with which a client reads the stores. The client can read only its own
        inputs.

        The client's account imports these subjects under a JetStream domain.
        """
        stream = object_stream(self._blobs)
        return (
            f"{API}.STREAM.INFO.{stream}",
            f"{API}.STREAM.INFO.KV_{result_bucket(self.subjects.namespace)}",
            *(f"{API}.DIRECT.GET.{stream}.{name}" for name in self._folder(client)),
        )

    def _folder(self, client: str) -> tuple[str, str]:
        """Return the patterns of the subjects that hold a client's own inputs: their descriptions and their pieces."""
        return f"$O.{self._blobs}.M.{client}.*", f"$O.{self._blobs}.C.{client}.>"

    def durables(self) -> dict[str, tuple[Durable, ...]]:
        """Return the durable consumers of all services, by stream."""
        mine = tuple(filter(None, (service.durable(self.subjects) for service in self.services.values())))
        timers = tuple(timers_durable(self.subjects, service) for service in TIMER_SERVICES)
        return {self.subjects.stream: mine, self.subjects.timers_stream: timers}

    def operators_kinds(self) -> frozenset[type[Event]]:
        """Return the kinds of events that operators append.

        Most are kinds that neither services nor clients append. `AgentDefined`, `ProtectionChanged` and
        `ConsolidationAsked` are appended by services too.
        """
        said = frozenset[type[Event]]().union(*(service.emits() for service in self.services.values()))
        left = {kind for kind in EVENTS.values() if kind not in said and not issubclass(kind, ClientEvent)}
        return frozenset((*left, AgentDefined, ProtectionChanged, ConsolidationAsked))

    @property
    def _blobs(self) -> str:
        return blob_bucket(self.subjects.namespace)

    @property
    def _snapshots(self) -> str:
        return object_stream(snapshot_bucket(self.subjects.namespace))

    @property
    def _buckets(self) -> tuple[str, ...]:
        name = self.subjects.namespace
        buckets = (vector_bucket, result_bucket, clock_bucket, attempts_bucket, pauses_bucket, webhook_bucket)
        return tuple(f"KV_{bucket(name)}" for bucket in buckets)

    @property
    def _streams(self) -> tuple[str, ...]:
        subjects = self.subjects
        own = (
            subjects.stream,
            subjects.dead_stream,
            subjects.timers_stream,
            object_stream(self._blobs),
            self._snapshots,
        )
        return (*own, *self._buckets, *(store.stream for store in extension_stores(subjects.namespace)))

    def _everybody(self, role: str) -> Rights:
        """Return the rights that every role has: receive answers on its inbox, follow the projector's progress, and
        request the state of each stream.
        """
        there = publishing(*(f"{API}.STREAM.INFO.{stream}" for stream in self._streams))
        return there | subscribing(f"{inbox(self.user(role))}.>", self.subjects.projected)

    def _service(self, service: Service) -> Rights:
        emitted = service.emits()
        rights = self._appending(service.name, emitted - {AgentDefined}, service.agent_id)
        # No service defines a client's agent: it could give it principles, which only a person may do.
        rights |= self._appending(service.name, emitted & {AgentDefined}, service.agent_id or ORGANISATION)
        if service.handlers or service.emits():
            rights |= publishing(f"{API}.STREAM.MSG.GET.{self.subjects.stream}")
        if service.handlers:
            tries = attempts_bucket(self.subjects.namespace)
            rights |= publishing(self.subjects.dead(service.name), f"$KV.{tries}.{service.name}.*")
            rights |= publishing(f"{API}.STREAM.MSG.GET.KV_{tries}")
        if (durable := service.durable(self.subjects)) is not None:
            rights |= consuming(self.subjects.stream, durable)
        for _, topic in service.query_topics():
            answers = (REPLY_SUBJECTS, *(f"{inbox(self.user(role))}.>" for role in QUERY_ROLES))
            rights |= publishing(*answers) | subscribing(f"{self.subjects.query(topic)} {service.name}")
        for use in service.capabilities:
            rights |= self._using(use, service.name)
        return rights if service.rights is None else rights | service.rights(self)

    def _using(self, use: Capability, service: str) -> Rights:
        name, subjects = self.subjects.namespace, self.subjects
        vectors = publishing(f"{API}.STREAM.MSG.GET.KV_{vector_bucket(name)}")
        match use:
            case Capability.READS_INPUTS:
                return publishing(f"{API}.STREAM.MSG.GET.OBJ_{self._blobs}")
            case Capability.READS_VECTORS:
                return vectors
            case Capability.MAKES_VECTORS:
                return vectors | publishing(f"$KV.{vector_bucket(name)}.>")
            case Capability.TELLS_RESULTS:
                told = f"{API}.STREAM.MSG.GET.KV_{result_bucket(name)}"
                return publishing(result_subject(name, "*"), told)
            case Capability.SENDS_DRAFTS:
                return publishing(subjects.draft("*"))
            case Capability.READS_CLOCK:
                clock = clock_bucket(name)
                return publishing(f"{API}.STREAM.MSG.GET.KV_{clock}") | subscribing(f"$KV.{clock}.*")
            case Capability.SETS_TIMERS:
                heard = consuming(subjects.timers_stream, timers_durable(subjects, service))
                return publishing(subjects.timer(service)) | heard
            case Capability.PROJECTS:
                return publishing(subjects.projected) | self._reading_all(subjects.stream) | self._keeping_snapshots()

            case Capability.SENDS_WEBHOOKS:
                return self._sending_webhooks()

    def _sending_webhooks(self) -> Rights:
        """Return the right to read the log and the webhooks message by message, and to record how far each was sent."""
        name = self.subjects.namespace
        read = (f"{API}.STREAM.MSG.GET.{stream}" for stream in (self.subjects.stream, f"KV_{webhook_bucket(name)}"))
        written = publishing(*read, webhook_subject(name, PROGRESS), lease_subject(name))
        return written | subscribing(webhook_subject(name, SUBSCRIPTION))

    def _keeping_snapshots(self) -> Rights:
        """Return the right to read, write and delete snapshots of the projections."""
        stream, bucket = self._snapshots, snapshot_bucket(self.subjects.namespace)
        kept = publishing(f"$O.{bucket}.>", f"{API}.STREAM.MSG.GET.{stream}", f"{API}.STREAM.PURGE.{stream}")
        return kept | self.reading(stream)

    def _appending(self, client: str, kinds: Iterable[type[Event]], agent_id: str | None = None) -> Rights:
        """Return the right to publish events of these kinds.

        Client events may be published only in the name of `client`. If `agent_id` is not None, events of agents may be
        published only for that agent.
        """
        rights = Rights()
        for kind in kinds:
            if issubclass(kind, ClientEvent):
                rights |= publishing(self.subjects.of_client(client, kind))
            elif agent_id is not None and kind.stream == "agent":
                rights |= publishing(self.subjects.of_agent(agent_id, kind))
            else:
                rights |= publishing(*self.subjects.of_kind(kind))
        return rights

    def _querying(self) -> Rights:
        questions = (kind for service in self.services.values() for kind in service.query_handlers)
        asked = publishing(*(self.subjects.query(question.name) for question in questions))
        return asked | subscribing(result_subject(self.subjects.namespace, "*"), self.subjects.draft("*"))

    def reading(self, stream: str) -> Rights:
        """Return the right to create consumers of a stream and to read from them.

        The right does not cover the durable consumers of the services.
        """
        rights = publishing(f"{API}.CONSUMER.CREATE.{stream}.*", f"{API}.CONSUMER.MSG.NEXT.{stream}.*")
        for durable in self.durables().get(stream, ()):
            made = f"{API}.CONSUMER.CREATE.{stream}.{durable.name}"
            never = (made, f"{made}.>", f"{API}.CONSUMER.MSG.NEXT.{stream}.{durable.name}")
            rights |= Rights(denied=frozenset(never))
        return rights

    def _reading_all(self, *streams: str) -> Rights:
        """Return the right to read these streams through consumers and by sequence, and to list their consumers."""
        rights = publishing(f"{API}.STREAM.NAMES")
        for stream in streams:
            make = (f"{API}.CONSUMER.CREATE.{stream}", f"{API}.CONSUMER.CREATE.{stream}.>")
            read = (f"{API}.STREAM.MSG.GET.{stream}", f"$JS.FC.{stream}.>")
            rights |= publishing(*make, *read, f"{API}.CONSUMER.INFO.{stream}.*", f"{API}.CONSUMER.LIST.{stream}")
            rights |= self.reading(stream)
        return rights

    def _operator(self) -> Rights:
        """Return the rights of an operator: define agents, inspect and repair everything, and act as a client."""
        name = self.subjects.namespace
        kinds = (*self.operators_kinds(), *(kind for kind in EVENTS.values() if issubclass(kind, ClientEvent)))
        stores = (f"$O.{self._blobs}.>", f"$KV.{vector_bucket(name)}.>", f"$KV.{clock_bucket(name)}.*")
        retries = (
            self.subjects.query(topic) for service in self.services.values() for _, topic in service.query_topics()
        )
        letters, webhooks = f"{API}.STREAM.MSG.DELETE.{self.subjects.dead_stream}", f"$KV.{webhook_bucket(name)}.>"
        said = self._appending(OPERATOR, kinds) | publishing(*stores, *retries, letters, webhooks)
        # `nemuri doctor platform` asks for the account's limits and compares its streams with what is wanted.
        read = self._reading_all(*self._streams) | publishing(f"{API}.INFO", f"{API}.STREAM.LIST")
        added = reduce(or_, (rights(self) for rights in parts("operator_rights")), Rights())
        return said | self._querying() | read | added | self._keeping_snapshots()

    def _importer(self) -> Rights:
        """Return the rights of an import: append all events, in every name, while all consumers are paused."""
        return self._operator() | self._pausing() | publishing(*self.subjects.everything)

    def _eraser(self) -> Rights:
        """Return the rights of an erasure, which runs while all consumers are paused.

        It may delete single messages from the log and from all stores, purge the stores, and write results back.
        """
        gone = publishing(*(f"{API}.STREAM.MSG.DELETE.{stream}" for stream in self._streams))
        beside = (stream for stream in self._streams if stream != self.subjects.stream)
        emptied = publishing(*(f"{API}.STREAM.PURGE.{stream}" for stream in beside))
        results = publishing(f"$KV.{result_bucket(self.subjects.namespace)}.*")
        return self._operator() | self._pausing() | gone | emptied | results

    def _pausing(self) -> Rights:
        """Return the right to pause every consumer of the log and of the timers, and to hold a lease for a pause."""
        bucket = pauses_bucket(self.subjects.namespace)
        streams = (self.subjects.stream, self.subjects.timers_stream)
        return publishing(
            *(f"{API}.CONSUMER.PAUSE.{stream}.*" for stream in streams),
            f"$KV.{bucket}.>",
            f"{API}.STREAM.MSG.DELETE.KV_{bucket}",
        )

    def _provisioner(self) -> Rights:
        """Return the rights of the provisioner, the only role that creates streams and durable consumers.

        It can neither read nor append events.
        """
        made = (f"{API}.STREAM.{verb}.{stream}" for verb in ("CREATE", "UPDATE") for stream in self._streams)
        streams = (self.subjects.stream, self.subjects.timers_stream)
        verbs = ("CREATE", "DURABLE.CREATE", "DELETE")
        consumers = (f"{API}.CONSUMER.{verb}.{stream}.>" for verb in verbs for stream in streams)
        looking = (f"{API}.CONSUMER.{verb}" for stream in streams for verb in (f"INFO.{stream}.*", f"LIST.{stream}"))
        return publishing(*made, *consumers, *looking)
