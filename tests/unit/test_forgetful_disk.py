"""A disk that loses power keeps what was flushed, and forgets some of what was not."""

from pathlib import Path
from random import Random

import pytest

from tests.faults.power.disk import BLOCK_BYTES, ENTRY, FLUSH, FUA, SECTOR_BYTES, SUPERBLOCK, Disk

BLOCKS = 20


def _written(directory: Path, *writes: tuple[int, int]) -> Disk:
    """Return an empty disk whose machine has written these: the number of a block with flags, or -1 for a flush."""
    (directory / "before.img").write_bytes(bytes(BLOCKS * BLOCK_BYTES))
    flushes = [at + 1 for at, (block, _) in enumerate(writes) if block < 0]
    log = [SUPERBLOCK.pack(1, 1, max(flushes, default=0), SECTOR_BYTES).ljust(SECTOR_BYTES, b"\0")]
    sectors = BLOCK_BYTES // SECTOR_BYTES
    for block, flags in writes:
        place = (0, 0) if block < 0 else (block * sectors, sectors)
        log.append(ENTRY.pack(*place, flags, 0).ljust(SECTOR_BYTES, b"\0"))
        log.append(b"" if block < 0 else b"x" * BLOCK_BYTES)
    (directory / "writes.log").write_bytes(b"".join([*log, bytes(SECTOR_BYTES)]))
    return Disk(directory)


def _there(directory: Path) -> list[bool]:
    content = (directory / "before.img").read_bytes()
    return [content[block * BLOCK_BYTES] == ord("x") for block in range(BLOCKS)]


@pytest.mark.parametrize("seed", range(20))
def test_what_was_flushed_is_there(tmp_path: Path, seed: int) -> None:
    """All blocks before the last flush are there, and the one that was written through the cache."""
    flushed = [(block, 0) for block in range(10)]
    disk = _written(tmp_path, *flushed, (-1, FLUSH), *((block, 0) for block in range(10, 19)), (19, FUA))
    told = disk.forget(Random(seed))
    there = _there(tmp_path)
    assert all(there[:10])
    assert there[19]
    assert told["flushed writes"] == 11
    assert told["forgotten blocks"] == there.count(False)


def test_some_of_the_rest_is_forgotten(tmp_path: Path) -> None:
    """Over many failures each block after the last flush is there sometimes, and sometimes not."""
    seen = set[tuple[bool, ...]]()
    for seed in range(40):
        _written(tmp_path, (-1, FLUSH), *((block, 0) for block in range(BLOCKS))).forget(Random(seed))
        seen.add(tuple(_there(tmp_path)))
    assert all(any(each[block] for each in seen) and not all(each[block] for each in seen) for block in range(BLOCKS))


def test_a_lying_disk_forgets_what_was_flushed(tmp_path: Path) -> None:
    """Its state is that at an earlier flush: a beginning of all writes."""
    writes = [pair for block in range(BLOCKS) for pair in ((block, 0), (-1, FLUSH))]
    lengths = set[int]()
    for seed in range(40):
        _written(tmp_path, *writes).forget(Random(seed), lying=True)
        there = _there(tmp_path)
        lengths.add(there.count(True))
        assert there == sorted(there, reverse=True)
    assert len(lengths) > 3
