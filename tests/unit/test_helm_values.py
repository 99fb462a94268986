"""Values of the Helm chart: which are accepted, and what their changes do."""

import re
from typing import Any

from nemuri_services.service_registry import SERVICES
from tests.unit.helm import RELEASE, Manifests, install, of_kind, pods, secrets_of


def test_changes_make_pods_wait_for_new_secrets() -> None:
    """A new client makes the servers of the log start again with its rights, and no service. A new address makes the
    services start again. A new image makes new jobs. The same values change nothing.
    """
    changes: list[dict[str, Any]] = [
        {},
        {},
        {"clients": ["ann", "bob"]},
        {"nats": {"tlsSecret": "certificates"}},
        {"image": {"tag": "2"}},
    ]
    same, again, client, address, image = map(pods_with_secrets, install(*changes))
    assert same == again
    assert {name for name in same if same[name] != client.get(name)} >= {"nats"}
    assert {name for name in SERVICES if same[name] != client[name]} == set()
    assert all(same[name] != address[name] for name in SERVICES)
    assert {name for name in same.keys() & image.keys() if name.startswith(("permissions-", "provision-"))} == set()


def pods_with_secrets(manifests: Manifests | str) -> dict[str, dict[str, set[str]]]:
    """Return the secrets that each pod waits for, by the name of the workload."""
    assert isinstance(manifests, list), manifests
    return {name: secrets_of(pod) for name, pod in pods(manifests).items()}


OWN: dict[str, Any] = {"enabled": False, "url": "nats://host:4222"}
"""Servers of the log that are one's own."""
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a misspelt key": ({"autoscalling": {"enabled": True}}, "autoscalling"),
    "a misspelt key within": ({"nats": {"replica": 3}}, "replica"),
    "a service that does not exist": ({"services": {"specialst": {"replicas": 2}}}, "specialst"),
    "a second projector": ({"services": {"projector": {"replicas": 2}}}, "projector/replicas"),
    "two nodes": ({"nats": {"replicas": 2}}, "nats/replicas"),
    "servers of one's own without an address": ({"nats": {"enabled": False}}, "nats/url"),
    "a password in an address": ({"nats": {"enabled": False, "url": "nats://me:secret@host:4222"}}, "nats/url"),
    "a key for servers of the chart": ({"nats": {"nkeyKey": "nats.nk"}}, "nats/nkeyKey"),
    "a key beside generated passwords": (
        {"nats": {"enabled": False, "url": "nats://host:4222", "credentialsKey": "nats.creds"}},
        "nats/credentialsKey",
    ),
    "two keys": ({"permissions": {"generate": False}, "nats": OWN | {"credentialsKey": "a", "nkeyKey": "b"}}, "nats"),
    "a key with a path": ({"permissions": {"generate": False}, "nats": OWN | {"nkeyKey": "../x"}}, "nats/nkeyKey"),
    "a database without a name": ({"postgres": {"enabled": False, "address": "host:5432"}}, "postgres/address"),
    "no size of a volume": ({"operations": {"storage": {"size": "much"}}}, "operations/storage/size"),
    "an ingress without a host": ({"window": {"ingress": {"enabled": True}}}, "ingress/host"),
    "a setting in small letters": ({"settings": {"nemuri_storage": "1"}}, "nemuri_storage"),
    "a client with capitals": ({"clients": ["Ann"]}, "clients/0"),
}


def test_wrong_values_are_refused() -> None:
    """Helm refuses each wrong value and names it, before anything is installed."""
    answers = install(*(values for values, _ in WRONG.values()))
    for what, (_, place), answer in zip(WRONG, WRONG.values(), answers, strict=True):
        assert isinstance(answer, str), what
        named = place.replace("/", r"[/.]")
        assert re.search(named, answer), (what, answer)


def test_keys_of_the_log_are_mounted_for_every_user() -> None:
    """With a key of their secrets, all pods of users mount it as a file, and a setting says what it is."""
    kinds = {"credentialsKey": "NEMURI_NATS_CREDENTIALS", "nkeyKey": "NEMURI_NATS_NKEY"}
    answers = install(*({"permissions": {"generate": False}, "nats": OWN | {key: "nats.secret"}} for key in kinds))
    for setting, manifests in zip(kinds.values(), answers, strict=True):
        assert isinstance(manifests, list), manifests
        settings = of_kind(manifests, "ConfigMap")["settings"]["data"]
        assert {name: value for name, value in settings.items() if name.startswith("NEMURI_NATS")} == {
            setting: "/run/nemuri/nats.key"
        }
        mounted = pods(manifests)
        for name in (*SERVICES, "window"):
            secret = f"{RELEASE}-{'operator' if name == 'window' else name}"
            assert secrets_of(mounted[name])[secret] == {"nemuri.env", "nats.secret"}, name
