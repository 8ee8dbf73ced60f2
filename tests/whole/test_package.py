"""The package as a whole: what an import costs, which version it is, and what a source folder says."""

import importlib.metadata
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.repository import ROOT

import spm_lite


def python(code, **settings):
    """Run code in a fresh interpreter, and not in this folder, which Python would search first."""
    settings.setdefault("cwd", ROOT / "tests")
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=500, **settings)


def test_import_is_light():
    result = python("import sys, spm_lite; print([m for m in ('numpy', 'google.protobuf') if m in sys.modules])")
    assert result.stdout == "[]\n", result.stderr


def test_the_command_line_starts_light():
    code = "import sys, spm_lite.cli.main; print([m for m in ('numpy', 'google.protobuf') if m in sys.modules])"
    assert python(code).stdout == "[]\n"


def test_version_agrees_with_the_metadata():
    try:
        version = importlib.metadata.version("spm_lite")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed: built in place")
    assert spm_lite.__version__ == version


def test_public_names_exist():
    assert all(hasattr(spm_lite, name) for name in spm_lite.__all__)


def test_what_a_tokenizer_returns_has_a_public_type():
    tok = spm_lite.Tokenizer
    methods = [inspect.getattr_static(tok, name) for name in dir(tok) if not name.startswith("_")]
    functions = [getattr(member, "fget", None) or getattr(member, "__func__", member) for member in methods]
    compiled = [function for function in functions if not hasattr(function, "__annotations__")]
    assert {function.__name__ for function in compiled} == {"encode", "decode", "count"}  # a list, a str and an int
    functions = [function for function in functions if function not in compiled]
    names = {name for function in functions for name in re.findall(r"[A-Z]\w+", function.__annotations__["return"])}
    own = names - {"Any", "AnyText", "Literal", "Iterator", "NDArray", "None"}
    assert {"Batch", "ByteStream", "EncodedFiles", "Lattice", "ModelInfo", "Segmentation", "TextStream"} <= own
    assert own <= set(spm_lite.__all__)


def test_the_uncompiled_source_folder_says_to_install_it(tmp_path):
    source = ROOT / "spm_lite"
    for path in source.rglob("*.py"):
        copy = tmp_path / "spm_lite" / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    result = python("import spm_lite; spm_lite.Tokenizer; spm_lite.train", cwd=tmp_path)
    assert "ImportError" in result.stderr
    assert "pip install" in result.stderr.splitlines()[-1]


def test_data_and_stubs_are_installed():
    folder = Path(spm_lite.__file__).parent
    assert (folder / "py.typed").exists()
    assert (folder / "cli" / "commands" / "demo_text.txt").exists()
    assert any(folder.rglob("*.pyi"))


def test_public_classes_bear_the_name_of_the_package() -> None:
    """A pickle, a traceback and the documentation name what users import, wherever the module lies."""
    for name in spm_lite.__all__:
        value = getattr(spm_lite, name)
        if isinstance(value, type):
            assert (value.__module__, value.__qualname__) == ("spm_lite", name)
