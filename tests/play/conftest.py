"""The server of the page with a BPE and a Unigram model, and a browser where there is one."""

import threading

import pytest
from oracle.browser import Browser, path_of_browser

import spm_lite
from spm_lite.cli.play_answers import Played
from spm_lite.cli.play_server import PlayServer

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
