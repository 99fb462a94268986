"""Words of others in prompts."""

import json


def quoted(text: object) -> str:
    """Return a text as a JSON string on one line. Nothing in the text can close its quotation marks."""
    return json.dumps(str(text), ensure_ascii=False)
