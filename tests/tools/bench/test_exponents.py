"""No call takes time with the square of its text: CPU ratios, far from those of linear and of quadratic work."""

import importlib.util
import sys

import pytest
from oracle.repository import ROOT

import spm_lite

TOOL = ROOT / "tools" / "bench" / "exponents.py"
FAR = 1.6  # linear work measures up to 1.3 on a busy machine, quadratic work 1.8 to 2
MOST = 32_000  # bytes
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="no source tree")


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("exponents", TOOL)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules["exponents"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    del sys.modules["exponents"]


def quadratic(tok, text):
    """Work that grows with the square of a text."""
    return lambda: [text.count("b" * 99) for _ in range(len(text) // 4)]


@pytest.mark.slow
def test_quadratic_work_is_found(tool):
    found, _, size = tool.exponent(quadratic, spm_lite.byte_tokenizer(), tool.repeated("a"), 10**6)
    assert found > FAR
    assert size < 10**6


def test_too_fast_to_tell(tool):
    assert tool.exponent(lambda tok, text: lambda: None, None, tool.repeated("a"), 10_000)[0] == 0.0


def timed(tool, monkeypatch, cost):
    """`exponent` where a call on a text takes so many seconds."""
    monkeypatch.setattr(tool, "seconds", lambda call, tok, n_times=1: cost(call()))
    return tool.exponent(lambda tok, text: lambda: len(text), None, tool.repeated("a"), 64_000)


@pytest.mark.parametrize("jump", [16_000, 32_000, 64_000, 128_000, 256_000])
def test_memory_that_no_cache_holds_is_no_growth(tool, monkeypatch, jump):
    """From some size on each byte costs more."""
    assert timed(tool, monkeypatch, lambda size: 5e-7 * size * (1 + (size >= jump)))[0] <= tool.BOUND


def test_what_each_text_takes_is_no_growth(tool, monkeypatch):
    assert timed(tool, monkeypatch, lambda size: 0.5 + 5e-6 * size)[0] == pytest.approx(1, abs=0.1)
    assert timed(tool, monkeypatch, lambda size: 0.5 + 5e-9 * size)[0] == 0.0


@pytest.mark.parametrize(
    "cost",
    [
        lambda size: 1e-8 * size**1.5,
        lambda size: 1e-7 * size**1.25,
        lambda size: 5e-7 * size * (1 + size / 50_000),
        lambda size: 0.5 + 2e-10 * size**2,
    ],
)
def test_work_that_grows_faster_is_found(tool, monkeypatch, cost):
    found, _, size = timed(tool, monkeypatch, cost)
    assert found > tool.BOUND
    assert size > 64_000


def test_shapes_have_the_size(tool):
    for name, make in tool.shapes(["a line", "次の"]).items():
        assert 9_900 <= len(make(10_000).encode()) <= 10_100, name


def test_readers_read_the_text(tool, tmp_path, monkeypatch):
    """A row whose file is refused for its options would measure nothing."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("zstandard")
    monkeypatch.setattr(tool.tempfile, "tempdir", str(tmp_path))
    rows = {name: make for name, make in tool.readers().items() if not name.startswith(("load", "JSON, ", "CSV, "))}
    assert {"gzip", "bzip2", "xz", "zstd", "Arrow", "Parquet", "TSV"} <= rows.keys()
    for name, make in rows.items():
        assert make(spm_lite.byte_tokenizer(), "some text")().total.tokens == 9, name


@pytest.mark.slow
@pytest.mark.parametrize("call", ["truncate", "chunks", "count", "spans", "stream", "growing", "normalize", "nbest"])
@pytest.mark.parametrize(
    "model", ["llama3 pattern", "o200k_base pattern", "wordpiece", "wordpiece, long words", "unigram, graphemes"]
)
def test_no_call_is_quadratic(tool, model, call):
    lines = [line for page in sorted(tool.DOCS.glob("*.md")) for line in page.read_text("utf-8").split("\n") if line]
    tok = next(tool.models(lines, [], model))[1]
    for name, make in tool.calls().items():
        if not name.startswith(call):
            continue
        for shape, text in tool.shapes(lines).items():
            try:
                assert tool.exponent(make, tok, text, MOST)[0] < FAR, (name, shape)
            except spm_lite.OptionError:
                break  # this model has no such call
