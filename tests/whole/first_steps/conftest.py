"""A folder with one English text in the files that people have, and a way to run the programs as they do."""

import csv
import gzip
import io
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def lines():
    """The bundled text, line by line."""
    text = (resources.files("spm_lite.cli.commands") / "demo_text.txt").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line]


@pytest.fixture(scope="session")
def files(tmp_path_factory, lines):
    """A folder that holds the lines once in each format."""
    folder = tmp_path_factory.mktemp("files")
    plain = "".join(f"{line}\n" for line in lines).encode()
    half = len(lines) // 2
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([["id", "text"], *enumerate(lines)])
    contents = {
        "en.txt": plain,
        "windows.txt": b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"),
        "en.txt.gz": gzip.compress(plain),
        "en.jsonl": "".join(json.dumps({"id": i, "text": line}) + "\n" for i, line in enumerate(lines)).encode(),
        "body.jsonl": "".join(json.dumps({"id": i, "body": line}) + "\n" for i, line in enumerate(lines)).encode(),
        "en.csv": table.getvalue().encode(),
        "folder/a.txt": "".join(f"{line}\n" for line in lines[:half]).encode(),
        "folder/part/b.txt": "".join(f"{line}\n" for line in lines[half:]).encode(),
        "folder/picture.png": b"\x89PNG\r\n\x1a\n",
        "folder/.hidden.txt": b"hidden words\n",
        "latin-1.txt": b"".join(f"{line} \xe9t\xe9\n".encode("latin-1", "replace") for line in lines),
    }
    try:
        import zstandard

        contents["en.txt.zst"] = zstandard.ZstdCompressor().compress(plain)
    except ImportError:
        pass
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        import pyarrow
        from pyarrow import parquet

        for name in ("text", "body"):
            parquet.write_table(pyarrow.table({"id": range(len(lines)), name: lines}), folder / f"{name}.parquet")
    except ImportError:
        pass
    return folder


class Outcome:
    """What a program gave: its code, standard output and errors."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def shell(tmp_path):
    """Run `spm-lite` with a line of arguments in an empty folder."""

    def run(*arguments: object, data: bytes = b"", module: str = "spm_lite") -> Outcome:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        return Outcome(subprocess.run(command, input=data, capture_output=True, timeout=500, cwd=tmp_path))

    return run


@pytest.fixture(scope="session")
def model(tmp_path_factory, files):
    """Path of a small model of the lines."""
    import spm_lite

    path = Path(tmp_path_factory.mktemp("model")) / "m.model"
    spm_lite.train(files=files / "en.txt", vocab_size=1800).save(path)
    return path
