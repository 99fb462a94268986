"""The files of an archive: what is written is read, damage is noticed, and interrupted writing leaves nothing wrong."""

import gzip
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus import archive_directory, archive_segment, log_archive
from nemuri_infra.bus.archive_directory import ArchiveDirectory, ArchiveMissingError
from nemuri_infra.bus.archive_manifest import ArchiveManifest, read_manifest
from nemuri_infra.bus.archive_segment import ArchiveError, Segment, SegmentEntry, SegmentWriter
from nemuri_infra.bus.log_archive import LogArchive
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.bus.subject_patterns import expression

NOON = datetime(2026, 5, 31, 12, tzinfo=UTC)
TASKS = ("cbd7d2bc", "5e1f9f0c", "90ab11de")
PATTERNS = (
    ">", "n.>", "n.task.>", "n.*.cbd7d2bc.>", "n.agent.-.*.bob.agent_slept", "n.agent.*.*.*.agent_defined",
    "n.agent.-.7.ann.agent_slept", "n.operator.event_parked", "n.client.*.ann.>", "n.*.ffffffff.>",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_segment, "BLOCK_BYTES", 600)
    monkeypatch.setattr(archive_directory, "MAX_INDEXES", 2)


def subject_of(number: int) -> str:
    """Return one of the forms of subjects."""
    task, agent = TASKS[number % 3], ("ann", "bob")[number % 2]
    forms = (
        f"n.task.{task}.task_routed", f"n.agent.-.7.{agent}.agent_slept", f"n.agent.{task}.7.{agent}.memories_used",
        f"n.client.{task}.{agent}.task_submitted", f"n.agent.-.9.{agent}.agent_defined",
    )  # fmt: skip
    return forms[number % len(forms)]


def messages(first: int, last: int) -> list[StoredMessage]:
    """Return messages with most of the sequences between two, some of which are no text."""
    return [
        StoredMessage(
            subject_of(number), number, b"\xff\x00" if number % 11 == 0 else f'{{"text": "no {number} ünï"}}'.encode(),
            {"Nats-Msg-Id": str(number)} if number % 2 else {}, NOON + timedelta(microseconds=number),
        )
        for number in range(first, last + 1)
        if number % 7
    ]  # fmt: skip


def written(directory: Path, *ends: int, log: str = "1") -> ArchiveDirectory:
    """Write an archive of segments that end with these sequences, and return it."""
    archive, entries, after = ArchiveDirectory(directory), list[SegmentEntry](), 0
    with archive.writing():
        for end in ends:
            writer = SegmentWriter(directory, after)
            for message in messages(after + 1, end):
                writer.add(message)
            entries.append(writer.complete(end))
            after = end
        archive.replace(ArchiveManifest(namespace="n", log=log, segments=tuple(entries)))
    return archive


def all_in(archive: ArchiveDirectory, after: int, until: int, *patterns: str) -> Iterator[StoredMessage]:
    """Yield what an archive reads between two sequences."""
    while after < until:
        after, some = archive.read(patterns, after, until)
        yield from some


def test_an_archive_answers_like_the_messages_it_was_made_of(tmp_path: Path) -> None:
    """Every kind of question has the same answer from the files as from a list of the messages."""
    archive, whole = written(tmp_path, 40, 41, 100, 130), messages(1, 130)
    for pattern in PATTERNS:
        matches = expression(pattern).fullmatch
        some = [message for message in whole if matches(message.subject)]
        for place in range(0, 132, 3):
            following = [message for message in some if message.sequence >= place]
            assert archive.next_on(pattern, place, 120) == next(
                (message for message in following if message.sequence <= 120), None
            )
            before = [message for message in some if message.sequence <= place]
            assert archive.last_on(pattern, place) == (before[-1] if before else None)
            assert list(all_in(archive, place, 125, pattern)) == [
                message for message in some if place < message.sequence <= 125
            ]
            assert archive.count([pattern], place, 99) == sum(place < message.sequence <= 99 for message in some)
        assert archive.subjects(pattern, 130) == {message.subject for message in some}
    assert [archive.at(sequence) for sequence in range(135)] == [
        next((message for message in whole if message.sequence == sequence), None) for sequence in range(135)
    ]
    assert list(all_in(archive, 0, 130)) == whole
    both = list(all_in(archive, 0, 130, "n.task.>", "n.client.>"))
    assert both == [message for message in whole if message.subject.split(".")[1] in {"task", "client"}]
    assert list(archive.backwards(99)) == [message for message in reversed(whole) if message.sequence <= 99]
    assert archive.kinds(130).total() == len(whole)


def test_a_segment_is_readable_with_common_tools(tmp_path: Path) -> None:
    """`zcat` shows one JSON object a line: the messages, then the index and the keys."""
    written(tmp_path, 30)
    [path] = tmp_path.glob("*.gz")
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert [line["sequence"] for line in lines[:-2]] == [message.sequence for message in messages(1, 30)]
    assert lines[0]["data"] == '{"text": "no 1 ünï"}'
    assert set(lines[-2]) == {"blocks", "subjects"}
    assert set(lines[-1]) == {"keys"}


def test_the_same_messages_make_the_same_file(tmp_path: Path) -> None:
    """A repeated run writes files with the same names and bytes, so it may be interrupted anywhere."""
    names = ("first", "second")
    for name in names:
        (tmp_path / name).mkdir()
        written(tmp_path / name, 20, 50)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*.gz")} for name in ("first", "second")
    )
    assert first == second


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_byte_is_noticed(tmp_path: Path, seed: int) -> None:
    """A segment with one changed byte, or that is cut off or missing, is never read as if it were whole."""
    written(tmp_path, 30, 60)
    rng, path = random.Random(seed), sorted(tmp_path.glob("*.gz"))[seed % 2]
    data = bytearray(path.read_bytes())
    place = rng.randrange(len(data))
    data[place] ^= 1 << rng.randrange(8)
    path.write_bytes(data if seed % 3 else data[:place])
    with pytest.raises(ArchiveError, match=path.name):
        list(all_in(ArchiveDirectory(tmp_path), 0, 60))
    path.unlink()
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        list(all_in(ArchiveDirectory(tmp_path), 0, 60))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said: said["segments"].pop(0), "the segment after 0 is missing"),
        (lambda said: said["segments"].pop(1), "the segment after 30 is missing"),
        (lambda said: said.update(format=2), "format"),
        (lambda said: said["segments"][0].update(file="../../etc/passwd"), "file"),
        (lambda said: said["segments"][0].pop("sha256"), "sha256"),
    ],
)
def test_a_wrong_manifest_is_refused(tmp_path: Path, change: object, why: str) -> None:
    """A manifest with a gap, an unknown format or a wrong field is refused in one line, and not read."""
    written(tmp_path, 30, 60, 90)
    path = tmp_path / "manifest.json"
    said = json.loads(path.read_text())
    assert callable(change)
    change(said)
    path.write_text(json.dumps(said))
    with pytest.raises(ArchiveError, match=why) as raised:
        ArchiveDirectory(tmp_path).at(1)
    assert "\n" not in str(raised.value)
    path.write_text("{")
    with pytest.raises(ArchiveError, match="is damaged"):
        read_manifest(tmp_path)


def test_an_erased_message_is_in_no_file(tmp_path: Path) -> None:
    """Erasing rewrites the segments concerned alone, and another reader sees it at once."""
    archive, other = written(tmp_path, 30, 60, 90), ArchiveDirectory(tmp_path)
    assert other.at(31) is not None
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.gz")}
    assert archive.erase([1, 31, 33, 35, 1_000]) == 3, "35 was deleted before"
    after = {path.name: path.read_bytes() for path in tmp_path.glob("*.gz")}
    assert len(after) == 3
    assert len(before.keys() & after.keys()) == 1
    assert other.at(31) is None
    assert [message.sequence for message in all_in(other, 0, 90)] == [
        message.sequence for message in messages(1, 90) if message.sequence not in {1, 31, 33}
    ]
    lines = [line for data in after.values() for line in gzip.decompress(data).splitlines()]
    assert not any(b"no 33 " in line for line in lines)
    assert archive.erase([1, 31]) == 0
    assert archive.erase(range(1, 31)) > 0
    assert next(message.sequence for message in all_in(other, 0, 90)) == 32, "a segment may be empty"
    assert other.next_on(">", 1, 90) == other.at(32)


def test_an_interrupted_erasure_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an interruption the archive has either all messages or those that stay, and the next call cleans up."""
    archive = written(tmp_path, 30, 60)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for name, there in (("write_manifest", True), ("wipe", False)):
        monkeypatch.setattr(archive_directory, name, stop)
        with pytest.raises(KeyboardInterrupt):
            archive.erase([31])
        assert (ArchiveDirectory(tmp_path).at(31) is not None) == there
        assert len([*tmp_path.glob("*.gz")]) == 3
        monkeypatch.undo()
        monkeypatch.setattr(archive_segment, "BLOCK_BYTES", 600)
    archive.erase([31])
    assert {path.name for path in tmp_path.glob("*.gz")} == {
        entry.file for entry in (archive.manifest() or pytest.fail("no manifest")).segments
    }


def test_a_segment_is_wiped_before_it_is_deleted(tmp_path: Path) -> None:
    """The bytes of a replaced segment are overwritten, also where the file is still open."""
    archive = written(tmp_path, 30)
    [path] = tmp_path.glob("*.gz")
    with path.open("rb") as file:
        archive.erase([1])
        assert not path.exists()
        assert set(file.read()) == {0}


def test_an_incomplete_segment_is_not_read(tmp_path: Path) -> None:
    """What a killed run wrote is no part of the archive, and the next writer deletes it."""
    archive = written(tmp_path, 30)
    writer = SegmentWriter(tmp_path, 30)
    for message in messages(31, 60):
        writer.add(message)
    writer.close()
    assert archive.manifest() is not None
    assert archive.next_on(">", 31, 60) is None
    entry = SegmentWriter(tmp_path, 30).complete(60)
    assert Segment(tmp_path, entry).content() == SegmentWriter(tmp_path, 30).content
    archive.erase([])
    assert {path.name.split("-")[0] for path in tmp_path.iterdir()} == {"lock", "manifest.json", "1"}


class FakeStream:
    """A stream with messages. It has given up those up to `given_up`, and says that those up to `said` are archived."""

    subjects = Subjects("n")

    def __init__(self, last: int) -> None:
        self.whole = messages(1, last)
        self.given_up = self.said = 0
        self.clock = 0.0
        self.slow = 0.0

    async def identity(self) -> str:
        """Return the identity of the log."""
        return "1"

    async def in_stream(self, **wanted: int | str) -> StoredMessage | None:
        """Return a message; the request takes `slow` seconds, and the stream gives up its messages meanwhile."""
        pattern = str(wanted.get("last_by_subj") or wanted.get("next_by_subj") or ">")
        if pattern == "n.operator.log_archived":
            return self._announcement()
        if self.slow:
            self.clock, self.slow, self.said, self.given_up = self.clock + self.slow, 0.0, 60, 60
        matches = expression(pattern).fullmatch
        there = [each for each in self.whole if each.sequence > self.given_up and matches(each.subject)]
        if "last_by_subj" in wanted:
            return there[-1] if there else None
        sequence = int(wanted["seq"])
        found = next((each for each in there if each.sequence >= sequence), None)
        return found if "next_by_subj" in wanted or found is None or found.sequence == sequence else None

    def _announcement(self) -> StoredMessage | None:
        if not self.said:
            return None
        event = LogArchived(
            event_id="00000000-0000-4000-8000-000000000001", log="1", until=self.said, messages=1, archive_bytes=1
        )
        return StoredMessage("n.operator.log_archived", 1_000, orjson.dumps(event.model_dump(mode="json")), {}, NOON)


async def test_a_request_that_outlasts_the_lease_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that stood still between its question and its request does not take a shorter history for the whole."""
    written(tmp_path, 60)
    for wanted in ({"seq": 5}, {"seq": 1, "next_by_subj": "n.task.>"}, {"last_by_subj": "n.*.cbd7d2bc.task_routed"}):
        stream, archive, whole = FakeStream(60), LogArchive.at(tmp_path), FakeStream(60)
        monkeypatch.setattr(log_archive, "now", lambda stream=stream: stream.clock)
        assert await archive.stored(stream, seq=1) == stream.whole[0]
        stream.slow = 3_600.0
        assert await archive.stored(stream, **wanted) == await whole.in_stream(**wanted)
        assert stream.given_up == 60, "the first answer was that of a stream that had given up everything"


async def test_the_expected_revision_is_that_of_the_whole_log(tmp_path: Path) -> None:
    """The server is asked for 0 in place of an archived revision, and never if the archive has another one."""
    written(tmp_path, 60)
    stream = FakeStream(60)
    subject = "n.agent.-.9.bob.agent_defined"
    newest = (await stream.in_stream(last_by_subj=subject) or pytest.fail("there is one")).sequence
    for given_up in (0, 30, 60):
        archive = LogArchive.at(tmp_path)
        stream.said, stream.given_up = 60, given_up
        kept = await stream.in_stream(last_by_subj=subject)
        assert await archive.expected(stream, newest, subject) == (kept.sequence if kept else 0)
        assert await archive.expected(stream, 0, subject) is None
        assert await archive.expected(stream, newest - 1, subject) is None
        assert await archive.expected(stream, 0, "n.agent.-.9.eve.agent_defined") == 0
        assert await archive.expected(stream, 61, subject) == 61
    without = LogArchive()
    with pytest.raises(ArchiveMissingError, match="NEMURI_ARCHIVE"):
        await without.expected(stream, 0, subject)


async def test_an_archive_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """An archive of another log, or one that ends too early, is not read."""
    for name, ends, log, why in (("a", (60,), "2", "of another log"), ("b", (30,), "1", "ends at event 30")):
        (tmp_path / name).mkdir()
        written(tmp_path / name, *ends, log=log)
        stream = FakeStream(60)
        stream.said = stream.given_up = 60
        with pytest.raises(ArchiveMissingError, match=why):
            await LogArchive.at(tmp_path / name).stored(stream, seq=1)
