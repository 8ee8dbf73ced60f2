"""Settings of Sphinx: `make docs` writes the site to build/docs."""

import builtins
import re

from docutils import nodes
from sphinx.addnodes import pending_xref

import spm_lite

project = "spm_lite"
author = "the authors of spm_lite"
copyright = author
release = version = spm_lite.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 3
highlight_language = "text"
default_role = "code"  # docstrings write names as Markdown does
smartquotes = False  # they would make a dash of `--` in options, and curly quotes in values
autodoc_member_order = "bysource"
autodoc_mock_imports = ["datasets", "datatrove", "pyspark", "ray"]
napoleon_use_rtype = False
napoleon_use_ivar = True  # a list of attributes, since dataclasses have them as members too

html_theme = "furo"
html_title = f"spm_lite {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]

LINK_SIGN = re.compile(r"\||(?<=\w)_(?!\w)")  # begins a substitution, or ends a reference
LIST_ITEM = re.compile(r"\s*- ")


def to_rst(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Make a docstring reStructuredText: an empty line around a list, no substitutions, each backslash itself."""
    result: list[str] = []
    indent = -1  # of the items of the list that goes on; -1: none does
    in_example = False
    for line in lines:
        is_item = LIST_ITEM.match(line) is not None
        depth = len(line) - len(line.lstrip())
        if is_item and indent < 0:
            result.append("")
        indent = depth if is_item else indent if depth > indent else -1
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        result.append(line if in_example else LINK_SIGN.sub(r"\\\g<0>", line.replace("\\", r"\\")))
    if what == "property":
        result.insert(0, r"\ ")  # an empty word; else napoleon takes what precedes a colon for a type
    lines[:] = result


def skips(app: object, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of named tuples, whose docstrings are Python's; the class describes them."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def unlink_builtins(app: object, doctree: nodes.document) -> None:
    """Take the links from types of Python, which would lead to attributes of the same name, such as `bytes`."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node.get("reftarget", "")):
            node.replace_self(node.children)


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("doctree-read", unlink_builtins)
    app.connect("autodoc-skip-member", skips)
    app.connect("autodoc-process-docstring", to_rst, priority=400)  # before napoleon
