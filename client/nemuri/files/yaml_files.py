"""Reader for YAML files of limited size, with one clear line for any fault."""

from pathlib import Path
from typing import Any

import yaml

from nemuri.files.documents import read_bounded


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys and aliases (`*name`).

    A few lines of aliases that refer to other aliases can expand to more values than fit in memory.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            problem = f"the alias *{event.anchor} is not allowed; write out its value"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen = set[str]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.composer.ComposerError(None, None, f"the key {key.value!r} occurs twice", key.start_mark)
                seen.add(key.value)
        return node


def read_yaml(path: Path, largest: int, noun: str, failure: type[Exception]) -> object:
    """Return the content of a YAML file of at most `largest` bytes.

    Raises `failure`, a class of exceptions, with one line: the file, the place and the fault. `noun` names the expected
    content in the message, for example "policy".
    """
    return parse_yaml(_text(path, largest, noun, failure), str(path), failure)


def parse_yaml(text: str, path: str, failure: type[Exception], before: int = 0) -> object:
    """Return the content of a YAML text that stands in a file below `before` other lines. Raises as `read_yaml`."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - it is a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        location = f":{before + mark.line + 1}:{mark.column + 1}" if mark else ""
        raise failure(f"{path}{location}: malformed YAML: {error.problem or error.context}") from error
    except yaml.reader.ReaderError as error:
        line = before + text[: error.position].count("\n") + 1
        raise failure(f"{path}:{line}: malformed YAML: an invalid character") from error
    except (yaml.YAMLError, ValueError) as error:
        raise failure(f"{path}: malformed YAML: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise failure(f"{path}: malformed YAML: nested too deeply") from None


def _text(path: Path, largest: int, noun: str, failure: type[Exception]) -> str:
    content = read_bounded(path, largest, f"; that is too large for a {noun}", failure)
    if not content.strip():
        raise failure(f"{path}: the file is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise failure(f"{path}: the file is not UTF-8 text (byte {error.start})") from error
