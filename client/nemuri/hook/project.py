"""The project in which a session takes place. It is read from the files of git, because starting git takes too long."""

import os
from configparser import Error, RawConfigParser

from nemuri_contracts.wire_constants import NO_PROJECT
from nemuri_domain.affective.sanitize import valid_label


def project_here(chosen: str | None) -> str:
    """Return the chosen project; without one that of the working directory, or `NO_PROJECT` if it has none."""
    return chosen or project_of(os.getcwd()) or NO_PROJECT  # noqa: PTH109


def project_of(directory: object) -> str | None:
    """Return the name of the project of a directory.

    It is the address of the repository's remote `origin`, or else of its first remote, such as
    `example.org/ann/bakery`. Without a remote it is the repository's root, without a repository the directory. None for
    a home directory and for a path that is not absolute.
    """
    if not isinstance(directory, str) or not os.path.isabs(directory):  # noqa: PTH117 - pathlib takes longer
        return None
    place = os.path.normpath(directory)
    root = _root(place)
    if root is None:
        return None if place in (os.path.expanduser("~"), os.sep) else _label(place)  # noqa: PTH111
    return _label(_remote(root) or root)


def _root(directory: str) -> str | None:
    """Return the root of the repository that contains a directory; None if there is none."""
    while True:
        if os.path.exists(os.path.join(directory, ".git")):  # noqa: PTH110, PTH118
            return directory
        above = os.path.dirname(directory)  # noqa: PTH120
        if above == directory:
            return None
        directory = above


def _remote(root: str) -> str | None:
    parser = RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read(os.path.join(_git_directory(root), "config"), encoding="utf-8")  # noqa: PTH118
    except (Error, OSError, ValueError):
        return None
    urls = {name: parser[name].get("url") for name in parser.sections() if name.startswith('remote "')}
    url = urls.get('remote "origin"') or next(filter(None, urls.values()), None)
    return _address(url) if url else None


def _git_directory(root: str) -> str:
    """Return the directory with the repository's settings, which worktrees share."""
    directory = os.path.join(root, ".git")  # noqa: PTH118
    if os.path.isfile(directory):  # noqa: PTH113
        directory = os.path.join(root, _line(directory).removeprefix("gitdir:").strip())  # noqa: PTH118
        shared = os.path.join(directory, "commondir")  # noqa: PTH118
        if os.path.isfile(shared):  # noqa: PTH113
            directory = os.path.join(directory, _line(shared))  # noqa: PTH118
    return directory


def _line(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return file.readline().strip()


def _address(url: str) -> str:
    """Return the address of a remote without scheme, user, password, port and ending: one for all ways to reach it."""
    scheme, separated, rest = url.strip().partition("://")
    if not separated:
        host, _, path = url.strip().partition(":")
        if "/" in host or not path:  # A path of this machine.
            return url.strip()
        rest = f"{host}/{path}"
    elif scheme == "file":
        return rest
    host, _, path = rest.rpartition("@")[2].partition("/")
    name = path.strip("/").removesuffix(".git")
    return f"{host.partition(':')[0].lower()}/{name}"


def _label(name: str) -> str | None:
    return valid_label(name)
