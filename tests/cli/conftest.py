"""A model trained once by the command itself, and ways to run commands."""

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from spm_lite.cli.main import main


def pytest_collection_modifyitems(items):
    """A command has a process, a folder or standard output for itself: threads that share a test would share them."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.thread_unsafe)


@pytest.fixture(scope="session")
def demo_text():
    """The bundled text, as bytes."""
    return (resources.files("spm_lite.cli.commands") / "demo_text.txt").read_bytes()


@pytest.fixture(scope="session")
def corpus(tmp_path_factory, demo_text):
    """The bundled text as a file."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_bytes(demo_text)
    return path


def train_once(folder, corpus, *options):
    """Path of a model trained with these options."""
    prefix = folder / "m"
    assert main(["train", str(corpus), "--model-prefix", str(prefix), "--quiet", *options]) == 0
    return f"{prefix}.model"


@pytest.fixture(scope="session", params=["bpe", "unigram"])
def model(request, tmp_path_factory, corpus):
    """A lossless model of each of the two main kinds."""
    folder = tmp_path_factory.mktemp(request.param)
    return train_once(folder, corpus, "--model-type", request.param, "--vocab-size", "1800")


@pytest.fixture(scope="session")
def bpe_model(tmp_path_factory, corpus):
    """One lossless model, where the kind does not matter."""
    return train_once(tmp_path_factory.mktemp("one"), corpus, "--model-type", "bpe", "--vocab-size", "1500")


@pytest.fixture
def run(tmp_path):
    """Run `python -m spm_lite` as a program in an empty folder; bytes in, bytes out."""

    def run(*arguments, data=b"", **settings):
        command = [sys.executable, "-m", "spm_lite", *map(str, arguments)]
        settings.setdefault("cwd", tmp_path)
        return subprocess.run(command, input=data, capture_output=True, timeout=500, **settings)

    return run


@pytest.fixture
def text_file(tmp_path):
    """Write bytes to a file and give its path."""

    def write(data, name="text.txt"):
        path = Path(tmp_path) / name
        path.write_bytes(data)
        return path

    return write
