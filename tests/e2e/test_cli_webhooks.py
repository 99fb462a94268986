"""`nemuri webhook`: operators add, list, test, resume and remove webhooks."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
from standardwebhooks.webhooks import Webhook

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
SECONDS = 60


class Receiver(ThreadingHTTPServer):
    """A receiver on the loopback, in threads of its own."""

    def __init__(self) -> None:
        received, arrived = list[tuple[dict[str, str], bytes]](), Event()
        self.received, self.arrived = received, arrived

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                received.append((dict(self.headers), self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()
                arrived.set()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Write nothing."""

        super().__init__(("127.0.0.1", 0), Handler)


def test_a_webhook_is_added_tested_listed_and_removed(nemuri: CommandLine) -> None:
    """A webhook gets a test message and events that the standard verifier accepts, and then it is removed."""
    with Receiver() as receiver:
        Thread(target=receiver.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{receiver.server_address[1]}/nemuri"
        added = nemuri("webhook", "add", url, "--kind", "memory_offered", "--allow-private", "--json").json
        name, secret = added["webhook_id"], added["secret"]
        tested = nemuri("webhook", "test", name[:8])
        assert (tested.code, tested.out[:17]) == (0, "accepted with 204")
        receiver.arrived.clear()
        assert nemuri("remember", "cook", "Salt dissolves in water.").code == 0
        assert receiver.arrived.wait(SECONDS)
        probe, event = [Webhook(secret).verify(body, headers) for headers, body in receiver.received]
        assert (probe["type"], event["type"]) == ("webhook.test", "memory_offered")
        assert "Salt dissolves" in str(event["data"]["event"])
        [listed] = nemuri("webhook", "list", "--json").json
        assert (listed["state"], listed["url"], "secret" in listed) == ("active", url, False)
        assert name[:8] in nemuri("webhook", "list").out
        not_paused = nemuri("webhook", "resume", name)
        assert (not_paused.code, not_paused.err) == (
            1,
            "nemuri: the webhook is active, not paused; nothing was changed\n",
        )
        receiver.shutdown()
    down = nemuri("webhook", "test", name)
    assert (down.code, down.out, len(down.err.splitlines())) == (1, "", 1)
    assert "the test message was not accepted: no connection" in down.err
    assert nemuri("webhook", "remove", name).out == f"removed {name}\n"
    assert nemuri("webhook", "list").out == "no webhooks; `nemuri webhook add URL --kind KIND` adds one\n"


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("add", "https://10.0.0.1/", "--kind", "agent_slept"), 2, "private address"),
        (("add", "http://example.com/", "--kind", "agent_slept"), 2, "write it as https://"),
        (("add", "https://example.com/", "--kind", "slept"), 2, "there is no kind of event 'slept'"),
        (("add", "https://example.com/", "--kind", "agent_slept", "--client", "a b"), 2, "--client: 'a b' is no name"),
        (
            ("add", "https://example.com/", "--kind", "event_parked", "--client", "ann"),
            1,
            "only the operator gets events",
        ),
        (
            ("add", "https://example.com/", "--kind", "agent_slept", "--agent", "no name"),
            2,
            "--agent: 'no name' is no name",
        ),
        (("remove", "abcdef"), 1, "there is no webhook 'abcdef'"),
        (("test", "abcdef"), 1, "there is no webhook 'abcdef'"),
    ],
)
def test_wrong_use_is_one_line_and_changes_nothing(
    nemuri: CommandLine, words: tuple[str, ...], code: int, why: str
) -> None:
    """A wrong command ends with one line and an exit code, and adds no webhook."""
    before = nemuri("webhook", "list", "--json").json
    refused = nemuri("webhook", *words)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (code, "", 1)
    assert why in refused.err
    assert nemuri("webhook", "list", "--json").json == before
