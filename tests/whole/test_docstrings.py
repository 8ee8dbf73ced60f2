"""Docstrings of public names: what they take, return and raise, no internals, and examples that run."""

import doctest
import inspect
import re

import pytest

import spm_lite

INTERNAL = re.compile(r"`(?:spm_lite\.)?(?:io|normalize|specs|training|segment|model|formats)\.\w+[.\w]*`")
ENTRY = re.compile(r"^ *((?:\*{0,2}\w+, )*\*{0,2}\w+(?: other options)?): ", re.MULTILINE)


def is_ours(owner, name):
    """Whether a class has a method of this package, not of str or tuple."""
    home = next((base for base in owner.__mro__ if name in vars(base)), object)
    return home not in (str, tuple, object, BaseException, Exception)


def found():
    """(name, function or property) of everything public."""
    for name in spm_lite.__all__:
        value = getattr(spm_lite, name)
        if inspect.isclass(value):
            yield name, value
            if not issubclass(value, Exception):
                for member in dir(value):
                    if not member.startswith("_") and is_ours(value, member):
                        static = inspect.getattr_static(value, member)
                        yield (
                            f"{name}.{member}",
                            static.fget if isinstance(static, property) else getattr(value, member),
                        )
        elif callable(value):
            yield name, value


PUBLIC = {name: value for name, value in found() if callable(value)}
CALLED = [name for name, value in PUBLIC.items() if not inspect.isclass(value)]
PROPERTIES = {
    name for name in CALLED if "." in name
    and isinstance(inspect.getattr_static(getattr(spm_lite, name.split(".")[0]), name.split(".")[1]), property)
}  # fmt: skip


def takes(function):
    """The names of the arguments."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def test_the_walk_finds_them():
    assert {"train", "Tokenizer.encode", "Batch.to_lists", "TextStream.push", "Tokenizer.vocab_size"} <= PUBLIC.keys()


@pytest.mark.parametrize("name", PUBLIC)
def test_there_is_one(name):
    doc = PUBLIC[name].__doc__
    assert doc
    assert not INTERNAL.search(doc)
    assert "+SKIP" not in doc


@pytest.mark.parametrize("name", [name for name in CALLED if name not in PROPERTIES])
def test_what_it_takes_and_returns(name):
    function, doc = PUBLIC[name], PUBLIC[name].__doc__
    arguments = takes(function)
    if arguments:
        section = doc.partition("Args:\n")[2]
        assert section, "there is no section Args"
        documented = " ".join(
            re.findall(r"^ *((?:\*{0,2}\w+, )*\*{0,2}\w+(?: other options)?): ", section, re.MULTILINE)
        )
        if "all other options" not in documented:
            assert not [one for one in arguments if one != "other" and not re.search(rf"\b{one}\b", documented)]
    annotation = getattr(function, "__annotations__", {}).get("return")
    if annotation not in (None, "None", "NoReturn"):
        assert "Returns:\n" in doc


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PUBLIC if ">>>" in (PUBLIC[name].__doc__ or "")])
def test_examples_run(name, tmp_path, monkeypatch):
    doc = inspect.cleandoc(PUBLIC[name].__doc__)
    if "arrow" in doc or "parquet" in doc:
        pytest.importorskip("pyarrow")
    if "to_torch" in doc:
        pytest.importorskip("torch")
    if "to_pandas" in doc:
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    scope = {one: getattr(spm_lite, one) for one in spm_lite.__all__}
    test = doctest.DocTestParser().get_doctest(doc, scope, name, None, 0)
    out = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=out.append)
    assert out == [], "".join(out)
