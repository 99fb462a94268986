"""Files of messages are read in each of their forms, and complaints name file and line."""

from pathlib import Path

import pytest

from nemuri.files.documents import InputError
from nemuri.files.message_files import read_message_file

HI = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"role": "user", "content": "Hi"}, "Hello"]', [HI, "Hello"]),
        ('{"messages": [{"role": "user", "content": "Hi"}], "model": "m"}', [HI]),
        ('{"role": "user", "content": "Hi"}', [HI]),
        ('{"role": "user", "content": "Hi"}\n\n"Hello"\n', [HI, "Hello"]),
    ],
)
def test_forms_of_files(tmp_path: Path, text: str, found: list[object]) -> None:
    """A list, an object with messages, one message, and one message on each line."""
    file = tmp_path / "chat.json"
    file.write_text(text)
    assert read_message_file(file) == found


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("3", "{file} must hold a list of messages, or one message on each line"),
        ('{"role": "user"}\nHi', "{file}, line 2 is no JSON"),
        ("", "{file} is empty"),
    ],
)
def test_what_is_no_file_of_messages(tmp_path: Path, text: str, complaint: str) -> None:
    """The complaint names the file, and the line at fault."""
    file = tmp_path / "chat.json"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_message_file(file)
    assert str(caught.value).startswith(complaint.format(file=file))
