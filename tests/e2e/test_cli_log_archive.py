"""`nemuri log archive` on a platform of its own, with its real waiting time."""

import gzip
import json

import pytest

from tests.e2e.conftest import AGENT, FACTS, QUESTION, CommandLine, stop


@pytest.mark.long
def test_the_log_is_archived_while_the_platform_runs(cli: CommandLine) -> None:
    """Old events move to files, and every command sees the same history as before, also after a restart."""
    platform = cli.up()
    try:
        assert (cli.data / "archive").exists() is False
        wrongs = {"now": "everything cannot be archived", "soon": "not a position", "2999-01-01": "future"}
        for wrong, why in wrongs.items():
            refused = cli("log", "archive", "--before", wrong)
            assert (refused.code, refused.err.count("\n")) == (2, 1)
            assert why in refused.err
        path = cli.data / "cook.yaml"
        path.write_text(AGENT, encoding="utf-8")
        assert cli("agent", "add", path).code == 0
        assert cli("remember", "cook", FACTS[0]).code == 0
        task = cli("ask", QUESTION, "--json").json["task_id"]
        number = cli.event_count()
        before = [cli("why", task, "--json").out, cli("log", "tail", "-n", "1000", "--json").out]
        planned = cli("log", "archive", "--before", "0s", "--dry-run")
        assert planned.out.splitlines()[0] == f"{number} events up to event {number} would be archived"
        assert (cli.data / "archive").exists() is False
        done = cli("log", "archive", "--before", "0s", "--json").json
        assert (done["plan"]["events"], done["plan"]["limit"], done["given_up"]) == (number, None, number)
        assert done["bytes_after"] < done["bytes_before"]
        [segment] = (cli.data / "archive" / "nemuri").glob("*.gz")
        assert len(gzip.decompress(segment.read_bytes()).splitlines()) == number + 2
        shown = cli("log", "tail", "-n", "1000", "--json").out
        assert [cli("why", task, "--json").out, shown[: len(before[1])]] == before
        assert json.loads(shown.splitlines()[-1])["kind"] == "log_archived"
        assert f"{number} of the events are in the archive" in cli("log", "stats").out
        assert cli("feedback", task, "helpful").code == 0
        assert cli("ask", QUESTION).code == 0
        again = cli("log", "archive", "--before", "2").out.splitlines()
        assert again[0].startswith(f"0 events up to event {number} archived in ")
    finally:
        assert stop(platform) == 0
    platform = cli.up()
    try:
        assert cli("rebuild", "--from-start").code == 0
        verified = cli("verify", "--json").json
        assert verified["differences"] == []
        assert cli("result", task).code == 0
        segment.rename(segment.with_suffix(".away"))
        missing = cli("log", "tail", "-n", "1000")
        assert (missing.code, missing.err.count("\n")) == (1, 1)
        assert "cannot be read: No such file" in missing.err
        segment.with_suffix(".away").rename(segment)
    finally:
        assert stop(platform) == 0
