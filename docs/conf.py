"""Settings of Sphinx for this documentation. `make docs` builds it."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "Nemuri"
author = "The Nemuri authors"
copyright = "the Nemuri authors, Apache-2.0"  # noqa: A001 - the name that Sphinx reads
release = version = installed("nemuri")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "generated_reference",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = False

autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
trim_doctest_flags = True
doctest_test_doctest_blocks = ""

html_theme = "furo"
html_title = f"Nemuri {version}"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_copy_source = False
