"""Webhooks: which addresses and URLs a receiver may have."""

from ipaddress import ip_address

import pytest
from pydantic import ValidationError

from nemuri_contracts.codec import validation_message
from nemuri_contracts.webhooks import NewWebhook, is_public, new_secret


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::",
        "2002:a9fe:a9fe::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_of_the_internet_is_private(address: str) -> None:
    """Addresses of machines, private networks, metadata services and groups are private in every notation."""
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    """Addresses of the public internet are public, also those that stand for an address of IPv4."""
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://127.0.0.1/", "private address"),
        ("https://[::1]:8443/x", "private address"),
        ("https://[::ffff:10.0.0.1]/", "private address"),
        ("https://localhost/x", "private address"),
        ("https://LOCALHOST./x", "private address"),
        ("https://metadata.google.internal/", "private address"),
        ("http://example.com/", "write it as https://HOST/PATH"),
        ("ftp://example.com/", "write it as https://HOST/PATH"),
        ("file:///etc/passwd", "write it as https://HOST/PATH"),
        ("https:///path", "write it as https://HOST/PATH"),
        ("example.com", "write it as https://HOST/PATH"),
        ("https://ann:secret@example.com/", "no user name"),
        ("https://example.com/#part", "no user name, password or fragment"),
        ("https://example.com:0/", "not the port 0"),
        ("https://example.com:99999/", "it is no URL"),
        ("https://exa mple.com/", "white space"),
        ("https://example.com/\r\nX: y", "white space or a control character"),
        ("https://a..b/", "it is no URL"),
        ("", "at least 1"),
        ("https://example.com/" + "a" * 2_000, "at most 2,000"),
    ],
)
def test_a_wrong_url_is_refused_in_one_line(url: str, why: str) -> None:
    """A URL that no receiver may have is refused in one line."""
    with pytest.raises(ValidationError) as refused:
        NewWebhook(url=url, kinds=("task_completed",))
    told = validation_message(refused.value)
    assert why in told
    assert "\n" not in told


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/x", "https://localhost", "https://[fd00::1]/", "http://hooks/"])
def test_the_operator_may_allow_a_private_receiver(url: str) -> None:
    """A private address, and a URL without encryption, are accepted if the operator allows them."""
    assert NewWebhook(url=url, kinds=("task_completed",), allow_private=True).url == url
    with pytest.raises(ValidationError):
        NewWebhook(url=url, kinds=("task_completed",))


def test_a_kind_is_subscribed_once() -> None:
    """A kind that is named twice counts once, and an unknown one is refused."""
    assert NewWebhook(url="https://example.com/", kinds=("agent_slept", "agent_slept")).kinds == ("agent_slept",)
    with pytest.raises(ValidationError, match="there is no kind of event 'slept'"):
        NewWebhook(url="https://example.com/", kinds=("slept",))


def test_secrets_differ() -> None:
    """Each secret is new, and has the form of Standard Webhooks."""
    first, second = new_secret(), new_secret()
    assert first != second
    assert first.startswith("whsec_")
    assert len(first) >= 40
