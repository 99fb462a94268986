"""Files that a virtual machine boots from: a Debian kernel, and a file system with BusyBox and nats-server."""

import lzma
import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Final

QEMU: Final = "qemu-system-x86_64"
PROGRAMS: Final = (QEMU, "mke2fs", "busybox")
SERVER: Final = Path(sysconfig.get_path("scripts")) / "nats-server"
DRIVERS: Final = ("virtio_pci", "virtio_blk", "virtio_net", "ext4")
"""Modules that the machine needs. Those that are part of the kernel have no file."""
INIT: Final = """#!/bin/busybox sh
bb=/bin/busybox
$bb mount -t proc none /proc
$bb mount -t devtmpfs none /dev
for module in $($bb cat /modules/order); do $bb insmod /modules/$module.ko; done
$bb mount -t ext4 /dev/vda /data || $bb poweroff -f
$bb grep /data /proc/mounts
$bb ip link set lo up
$bb ip address add 10.0.2.15/24 dev eth0
$bb ip link set eth0 up
$bb ip route add default via 10.0.2.2
NATS_SERVER_NAME=$($bb cat /data/name) /bin/nats-server -c /data/nats.conf
$bb poweroff -f
"""


@dataclass(frozen=True, slots=True)
class BootFiles:
    """A kernel and the file system in memory that it begins with."""

    kernel: Path
    initramfs: Path

    @classmethod
    def made(cls, directory: Path, kernel: Path, modules: Path) -> "BootFiles":
        """Return the kernel with a new initramfs in `directory`, with the drivers in `modules`."""
        root = directory / "root"
        for place in ("bin", "proc", "dev", "data", "modules"):
            (root / place).mkdir(parents=True)
        shutil.copy(shutil.which("busybox") or "", root / "bin/busybox")
        shutil.copy(SERVER, root / "bin/nats-server")
        _copy_modules(modules, root / "modules")
        (root / "init").write_text(INIT, encoding="ascii")
        (root / "init").chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        packed = subprocess.run(
            ["busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), check=True, capture_output=True
        )
        initramfs = directory / "initramfs"
        initramfs.write_bytes(packed.stdout)
        shutil.rmtree(root)
        return cls(kernel, initramfs)


def missing(kernel: Path | None, modules: Path | None) -> str | None:
    """Return the reason why no machine can boot here; None if one can."""
    if absent := [program for program in PROGRAMS if shutil.which(program) is None]:
        return f"there is no {', '.join(absent)}"
    if kernel is None or modules is None or not kernel.exists() or not modules.is_dir():
        return "there is no kernel with modules: give --kernel and --modules, or install linux-image-cloud-amd64"
    return None


def installed() -> tuple[Path | None, Path | None]:
    """Return the kernel and the modules that this machine has installed, the last in the order of names."""
    for kernel in sorted(Path("/boot").glob("vmlinuz-*"), reverse=True):
        modules = Path("/lib/modules") / kernel.name.removeprefix("vmlinuz-")
        if modules.is_dir():
            return kernel, modules
    return None, None


def _copy_modules(source: Path, target: Path) -> None:
    """Copy the drivers and what they depend on, and write the order in which they can be loaded."""
    files = {path.name.partition(".ko")[0].replace("-", "_"): path for path in source.rglob("*.ko*")}
    order: list[str] = []

    def add(name: str) -> None:
        if name in order or name not in files:
            return
        path = files[name]
        content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        if (needs := re.search(rb"\0depends=([^\0]+)\0", content)) is not None:
            for need in needs[1].decode().split(","):
                add(need.replace("-", "_"))
        (target / f"{name}.ko").write_bytes(content)
        order.append(name)

    for driver in DRIVERS:
        add(driver)
    (target / "order").write_text("\n".join(order), encoding="ascii")
