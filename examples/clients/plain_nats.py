"""Ask a question with only a NATS client: `pip install nats-py`, without this project.

    NATS_URL=$(nemuri status --nats-url) python plain_nats.py "May I compare a value to True?"

`contracts/schemas` describes the messages on the bus. Exit codes are those of `nemuri ask`: 0 answered, 1 failed, 3 not
answered in time, 4 the platform asks how to continue with many items.
"""

import asyncio
import json
import os
import sys
import uuid

import nats

NAMESPACE = os.environ.get("NEMURI_NAMESPACE", "nemuri")
CLIENT = "plain-python"
PATIENCE = float(os.environ.get("PATIENCE", "120"))
"""Maximum seconds to wait for the answer."""
FAILED, LATE, NEGOTIATION = 1, 3, 4


async def _quietly(_: Exception) -> None:
    """Ignore connection errors here. The attempt to connect raises them too."""


async def ask(text: str) -> dict:
    """Submit a task, wait for its result and return it."""
    url = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
    connection = await nats.connect(url, max_reconnect_attempts=1, error_cb=_quietly)
    try:
        stream = connection.jetstream()
        results = await stream.key_value(f"{NAMESPACE}-results")
        task = str(uuid.uuid4())
        news = await results.watch(task)

        # An acknowledged message is on disk. A repeated publish with the same id is still one task.
        event = {"event_id": task, "kind": "task_submitted", "version": 1, "text": text}
        subject = f"{NAMESPACE}.client.{task}.{CLIENT}.task_submitted"
        await stream.publish(subject, json.dumps(event).encode(), headers={"Nats-Msg-Id": task})

        async with asyncio.timeout(PATIENCE):
            async for entry in news:
                result = json.loads(entry.value) if entry is not None and entry.value else None
                if result is not None and result["status"] != "open":
                    return result
        raise ConnectionError("the results store was closed")
    finally:
        await connection.close()


def show(found: dict) -> int:
    """Print the result of the task and return the exit code of the script."""
    print(found["status"])
    if found["status"] == "done":
        print(found["answer"])
        return 0
    if found["status"] != "negotiation":
        print(found["reason"])
        return FAILED
    for number, item in enumerate(found["items"], 1):
        print(f"{number}. {item}")
    for option in found["options"]:
        print(f"{option['name']}: {option['description']}")
    return NEGOTIATION


if __name__ == "__main__":
    try:
        code = show(asyncio.run(ask(" ".join(sys.argv[1:]) or "What is truth value testing?")))
    except TimeoutError:
        print(f"no answer within {PATIENCE:g} s; is the platform running?", file=sys.stderr)
        code = LATE
    except (OSError, nats.errors.Error) as error:
        print(f"{type(error).__name__}: {error}; is NATS_URL the address of a platform's server?", file=sys.stderr)
        code = FAILED
    sys.exit(code)
