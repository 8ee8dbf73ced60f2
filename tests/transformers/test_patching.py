"""`patch`, `unpatch`, and scripts that run under them."""

import logging
import subprocess
import sys

import pytest
from oracle.fast_tokenizers import LINES, make, needs_transformers

pytestmark = [needs_transformers, pytest.mark.thread_unsafe]


@pytest.fixture
def folder(tmp_path):
    make("byte_bpe").save_pretrained(tmp_path)
    return str(tmp_path)


@pytest.fixture(autouse=True)
def unpatched():
    from spm_lite.transformers import unpatch

    yield
    unpatch()


def is_accelerated(tok):
    from spm_lite.transformers.backend import Backend

    return isinstance(tok._tokenizer, Backend)


def test_tokenizers_are_accelerated_between_patch_and_unpatch(folder):
    from transformers import AutoTokenizer

    from spm_lite.transformers import patch, unpatch

    before = AutoTokenizer.from_pretrained(folder)
    function = AutoTokenizer.__dict__["from_pretrained"]
    patch()
    patch(check="always")
    fast = AutoTokenizer.from_pretrained(folder)
    kept = AutoTokenizer.from_pretrained
    unpatch()
    unpatch()
    assert AutoTokenizer.__dict__["from_pretrained"] is function
    assert not is_accelerated(before)
    assert is_accelerated(fast)
    assert not is_accelerated(kept(folder))
    assert fast(LINES)["input_ids"] == before(LINES)["input_ids"]  # it lives on
    assert type(fast) is type(before)


def test_streams_take_accelerated_tokenizers_between_patch_and_unpatch(folder):
    from tokenizers import decoders
    from transformers import AutoTokenizer

    from spm_lite.transformers import patch, unpatch

    before = decoders.DecodeStream
    patch()
    patch()
    fast = AutoTokenizer.from_pretrained(folder)
    ids = fast("The fox", add_special_tokens=False)["input_ids"]
    stream = decoders.DecodeStream(skip_special_tokens=True)
    assert "".join(stream.step(fast._tokenizer, i) or "" for i in ids) == "The fox"
    unpatch()
    assert decoders.DecodeStream is before


def test_the_log_names_what_is_not_accelerated_once(folder, tmp_path, caplog):
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    from spm_lite.transformers import patch

    tok = make("unigram")
    tok.backend_tokenizer.pre_tokenizer = pre_tokenizers.UnicodeScripts()
    tok.add_tokens(["<0x41>"])
    tok.backend_tokenizer.decoder = None
    other = str(tmp_path / "other")
    tok.save_pretrained(other)
    patch()
    with caplog.at_level(logging.WARNING, "spm_lite.transformers"):
        found = [AutoTokenizer.from_pretrained(other) for _ in range(2)]
        AutoTokenizer.from_pretrained(folder)
    reports = [one._tokenizer.report() for one in found]
    assert len(caplog.records) == (1 if reports[0].refusal else 0)
    assert found[0](LINES)["input_ids"] == tok(LINES)["input_ids"]


def test_a_script_runs_under_it(folder, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom transformers import AutoTokenizer\n"
        "tok = AutoTokenizer.from_pretrained(sys.argv[1])\n"
        "print(type(tok._tokenizer).__module__, tok('The fox')['input_ids'], sys.argv[2:], __name__)\n",
        encoding="utf-8",
    )

    def run(*arguments):
        whole = [sys.executable, "-m", "spm_lite.transformers", *arguments]
        return subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, check=False)

    ran = run("script.py", folder, "more")
    assert ran.returncode == 0, ran.stderr
    ids = make("byte_bpe")("The fox")["input_ids"]
    assert ran.stdout.strip() == f"spm_lite.transformers.backend {ids} ['more'] __main__"
    missing = run("no.py")
    assert missing.returncode == 2
    assert "'no.py' is not a file" in missing.stderr
    usage = run("--help")
    assert usage.returncode == 0
    assert "python -m spm_lite.transformers" in usage.stdout
