"""A disk with a cache that forgets: when the power fails, what was not flushed may be there, in parts, or gone."""

import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

BYTES: Final = 2**30
LOG_BYTES: Final = 2**36
"""Size of the sparse file with all writes, of which only what was written takes room."""
SECTOR_BYTES: Final = 512
BLOCK_BYTES: Final = 4096
"""Bytes that a disk writes all or not at all."""
SUPERBLOCK: Final = struct.Struct("<QQQI")
ENTRY: Final = struct.Struct("<QQQQ")
"""A write in the log of QEMU's driver `blklogwrites`, which is that of Linux's dm-log-writes."""
FLUSH, FUA, DISCARD = 1, 2, 4


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk as it was before its machine was started, as it is now, and all writes in between."""

    directory: Path

    def make(self, contents: Path) -> None:
        """Make an ext4 file system with the contents of a directory."""
        before, size = self.directory / "before.img", f"{BYTES // 2**20}M"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", contents, before, size], check=True, capture_output=True)

    def plug(self) -> dict[str, Any]:
        """Return the disk as QEMU's option `-blockdev` takes it, for one run of the machine."""
        now, log = self.directory / "now.img", self.directory / "writes.log"
        subprocess.run(["cp", "--sparse=always", self.directory / "before.img", now], check=True)
        log.write_bytes(b"")
        with log.open("r+b") as file:
            file.truncate(LOG_BYTES)
        # This machine does not fail, so what QEMU has written needs no flush here.
        here = {"driver": "file", "cache": {"direct": False, "no-flush": True}}
        files = {"file": here | {"filename": str(now)}, "log": here | {"filename": str(log)}}
        return {"driver": "blklogwrites", "node-name": "disk"} | files

    def forget(self, rng: Random, *, lying: bool = False) -> Counter[str]:
        """Bring the disk to a state in which a power failure can leave it, drawn at random; count writes and blocks.

        What was flushed is there. Each block written after the last flush is there or not. A `lying` disk has forgotten
        everything since some flush before.
        """
        writes = [*self._writes()]
        flush = max((at for at, (_, _, flags) in enumerate(writes) if flags & FLUSH), default=0)
        kept = rng.choice((0.0, 0.5, 0.9))
        if lying:
            flush, kept = rng.randrange(flush + 1), 0.0
        told = Counter[str]()
        with (self.directory / "before.img").open("r+b") as disk:
            for at, (offset, data, flags) in enumerate(writes):
                flushed = at < flush or bool(flags & FUA)
                told["flushed writes" if flushed else "other writes"] += bool(data)
                for begin in range(0, len(data), BLOCK_BYTES):
                    if flushed or rng.random() < kept:
                        disk.seek(offset + begin)
                        disk.write(data[begin : begin + BLOCK_BYTES])
                    else:
                        told["forgotten blocks"] += 1
        return told

    def _writes(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield offset, data and flags of each write, in the order in which the machine gave them to the disk."""
        with (self.directory / "writes.log").open("rb") as log:
            _, _, until_flush, sector = SUPERBLOCK.unpack(log.read(SUPERBLOCK.size))
            sector, seen = sector or SECTOR_BYTES, 0
            log.seek(sector)
            while any(entry := ENTRY.unpack(log.read(sector)[: ENTRY.size])):
                first, sectors, flags, _ = entry
                yield first * sector, b"" if flags & DISCARD else log.read(sectors * sector), flags
                seen += 1
        assert seen >= until_flush, f"the log of writes has {seen} of {until_flush}"
