"""A model trained once by the command itself, ways to run commands, and the server of the page with a browser."""

import subprocess
import sys
import threading
from importlib import resources
from pathlib import Path

import pytest
from oracle.browser import Browser, path_of_browser

import spm_lite
from spm_lite.cli.main import main
from spm_lite.cli.play_answers import Played
from spm_lite.cli.play_server import PlayServer


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


TEXTS = ["hello world, the lower lowest price of a new house", "שלום עולם", "水車 café e\u0301 🙂"] * 9


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Paths of a BPE, a Unigram and a byte-level model."""
    folder = tmp_path_factory.mktemp("models")
    paths = {}
    for kind in ("bpe", "unigram", "byte_bpe"):
        tok = spm_lite.train(TEXTS, model_type=kind, vocab_size=340, hard_vocab_limit=False, num_threads=1)
        paths[kind] = str(folder / f"{kind}.model")
        tok.save(paths[kind])
    return paths


@pytest.fixture(scope="session")
def server(models):
    """A running server of the first two."""
    server = PlayServer([Played(models["bpe"]), Played(models["unigram"])])
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium."""
    if path_of_browser() is None:
        pytest.skip("there is no Chromium")
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()
