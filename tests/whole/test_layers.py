"""The order of the folders: a room imports only from itself and from rooms above it."""

import re
from pathlib import Path

from oracle.repository import ROOT

PACKAGE = ROOT / "spm_lite"
ROOMS = [
    "root",
    "progress",
    "base/system",
    "base/structures",
    "base/unicode/ranges",
    "base/unicode",
    "texts",
    "ids",
    "normalize/rules",
    "normalize",
    "vocab",
    "segment/lookup",
    "segment",
    "segment/patterns",
    "chunks",
    "encode",
    "lattice",
    "decode",
    "io",
    "corpora",
    "id_files",
    "model",
    "counts",
    "counts/saved",
    "trainers",
    "trainers/bpe",
    "trainers/unigram",
    "trainers/wordpiece",
    "trainers/reference",
    "formats/ranks",
    "formats",
    "formats/gguf",
    "formats/proof",
    "formats/hugging_face",
    "formats/hugging_face/reading",
    "formats/proved",
    "tokenizer/calls",
    "pictures",
    "pictures/steps",
    "tokenizer",
    "conversions",
    "training/options",
    "training",
    "evaluation",
    "engines/work",
    "engines/shards",
    "engines",
    "play",
    "auditing/figures",
    "auditing/vocabulary",
    "auditing/prediction",
    "auditing/probes",
    "auditing/report",
    "auditing/page",
    "auditing",
    "sentencepiece/calls",
    "sentencepiece/results",
    "sentencepiece/normalizing",
    "sentencepiece/training",
    "sentencepiece/processing",
    "sentencepiece",
    "cli/terminal",
    "cli/files",
    "cli/options",
    "cli",
    "cli/commands/models",
    "cli/commands/texts",
    "cli/commands/guide",
    "sentencepiece/programs",
]
RANK = {room: rank for rank, room in enumerate(ROOMS)}
# Files at the root that name what users import from the rooms below.
FACES = {"__init__.py", "__main__.py", "sentencepiece_model_pb2.py", "sentencepiece_pb2.py"}
IMPORT = re.compile(r"^(?:[ \t]*)from (spm_lite[\w.]*) c?import (\([^)]*\)|[^\n]*)", re.MULTILINE)
TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)


def room_of(path: Path) -> str:
    room = path.relative_to(PACKAGE).as_posix()
    return "root" if room == "." else room


def rooms_imported(source: str) -> set[str]:
    rooms = set()
    for module, names in IMPORT.findall(TYPES.sub("", source)):
        place = PACKAGE.joinpath(*module.split(".")[1:])
        for name in re.findall(r"[A-Za-z_]\w*", re.sub(r"#[^\n]*|\bas \w+", "", names)):
            is_module = place.is_dir() and any(place.glob(f"{name}.p*"))
            rooms.add(room_of(place if is_module or place.is_dir() else place.parent))
    return rooms


def test_imports_go_up_the_list_only() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.p*")):
        if path.suffix not in (".py", ".pyx", ".pxd") or (path.parent == PACKAGE and path.name in FACES):
            continue
        room = room_of(path.parent)
        for other in rooms_imported(path.read_text(encoding="utf-8")):
            if RANK[other] > RANK[room]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports from {other}")
    assert not wrong, "\n".join(wrong)


def test_no_first_lines_that_name_an_encoding() -> None:
    """Cython 3.3.0 reads `encoding: name` in the first two lines of any source as the encoding of the file."""
    for path in sorted(PACKAGE.rglob("*.p[yx]*")):
        if path.suffix in (".pyx", ".pxd"):
            first = path.read_text(encoding="utf-8").split("\n")[:2]
            assert not re.search(r"coding[:=]\s*[-\w.]+", " ".join(first)), path
