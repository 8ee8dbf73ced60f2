"""Compare spm_lite with whatever version of sentencepiece is installed, and print what differs.

    python tools/compare/watch_upstream.py [--data FOLDER] [--quick] [--only PART...]

For a new release: install it in an environment of its own, with this package, and run this. First come the names that a
program can use: classes, methods, functions, their arguments and defaults, and the fields of the messages. Then the
comparisons of this folder run, and the tests of the drop-in, each as a program of its own. There is a line for each
part, and at the end one for each that differs. The exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from comparison import DATA, ROOT, Comparison, parser_of, run

HERE = Path(__file__).resolve().parent
KNOWN = "0.2.3"  # the version whose behaviour this package has
NOTHING_CHOSEN = 5  # exit code of pytest: all tests of a file are slow, and --quick leaves them out
LAST_LINES = 25  # of the output of a part that found a difference
CORPORA = ("en-botchan.txt", "ja-commonvoice.txt", "th-wisesight-social.txt")
MODELS = ("llama2.model", "google_test_model.model", "kerashub_word_tiny.model")

SURFACE = r"""
import importlib, inspect, json, sys

def signature(value):
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    return [[p.name, p.kind.name, None if p.default is p.empty else repr(p.default)] for p in parameters]

def named(owner):
    return {name: getattr(owner, name) for name in dir(owner) if not name.startswith("_")}

package, messages = sys.argv[1:]
module = importlib.import_module(package)
found = {}
for name, value in named(module).items():
    if not (getattr(value, "__module__", None) or "").startswith(package.split(".")[0]):
        continue  # of another module
    if inspect.isclass(value):
        found[name] = None
        found.update({f"{name}.{k}": signature(v) for k, v in named(value).items() if callable(v)})
    elif callable(value):
        found[name] = signature(value)
try:
    proto = importlib.import_module(messages)
except ImportError:
    fields = None
else:
    fields = {}
    waiting = list(proto.DESCRIPTOR.message_types_by_name.values())
    while waiting:
        message = waiting.pop()
        waiting += message.nested_types
        for field in message.fields:
            fields[f"{message.name}.{field.name}"] = [field.number, field.type, str(field.default_value)]
print(json.dumps({"names": found, "fields": fields}))
"""


def surface(package: str, messages: str) -> dict[str, dict[str, object] | None]:
    """What a package offers, found in a process of its own: both packages define the same messages."""
    command = [sys.executable, "-c", SURFACE, package, messages]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
    found: dict[str, dict[str, object] | None] = json.loads(done.stdout.splitlines()[-1])
    return found


def takes_anything(signature: object) -> bool:
    """Whether a function has no arguments but *args and **kwargs."""
    return isinstance(signature, list) and all(str(kind).startswith("VAR_") for _, kind, _ in signature)


def parts(value: object) -> dict[str, str]:
    """The arguments of a function in their order, each with its kind and its default; or what a field is."""
    if not isinstance(value, list):
        return {}
    if value and not isinstance(value[0], list):
        return dict(zip(("number", "type", "default"), map(str, value), strict=True))
    return {name: f"{kind.lower()}{'' if default is None else f' = {default}'}" for name, kind, default in value}


def differences_of_parts(there: object, here: object) -> Iterator[str]:
    """A line for each argument or property that only one of two has, or that differs."""
    theirs, ours = parts(there), parts(here)
    for name in theirs | ours:
        if theirs.get(name) != ours.get(name):
            yield f"    {name}: {theirs.get(name, 'missing')} there, {ours.get(name, 'missing')} here"
    common = [[name for name in some if name in theirs and name in ours] for some in (theirs, ours)]
    if common[0] != common[1]:
        yield f"    their order: {', '.join(common[0])} there, {', '.join(common[1])} here"


def differences_of_names() -> Iterator[str]:
    """What is in one package only, or differs in both."""
    theirs = surface("sentencepiece", "sentencepiece.sentencepiece_model_pb2")
    ours = surface("spm_lite.sentencepiece", "spm_lite.sentencepiece_model_pb2")
    for part in ("names", "fields"):
        there, here = theirs[part], ours[part]
        if there is None or here is None:
            yield f"{part}: the installed version has no messages to compare"
            continue
        for name in sorted(there.keys() - here.keys()):
            yield f"only in sentencepiece: {name}"
        for name in sorted(there.keys() & here.keys()):
            if there[name] != here[name] and None not in (there[name], here[name]) and not takes_anything(here[name]):
                yield "\n".join([f"differs: {name}", *differences_of_parts(there[name], here[name])])


def commands(data: Path, is_quick: bool) -> dict[str, list[str]]:
    """The programs to run, by the name of the part."""
    corpora = [str(path) for name in CORPORA if (path := data / "corpora" / name).exists()]
    models = sorted(str(path) for path in (data / "models").glob("*.model"))
    if is_quick:
        models = [path for path in models if Path(path).name in MODELS] or models[:2]
        corpora = corpora[:1]
    few = "2000" if is_quick else "100000"
    corpus = ["--corpus", *corpora]
    found = {"lossless": ["lossless.py", "--strings", few, *(["--scalars", "few"] if is_quick else [])]}
    if models and corpora:
        found |= {
            "ids": ["ids.py", *models, *corpus, "--generated", few, "--places"],
            "n-best": ["nbest.py", *models, *corpus],
            "trained": ["trained_models.py", "--train", *corpora, *corpus, "--generated", few],
            "training": ["trainers.py", str(data / "corpora"), *(["--only", "botchan", "--sets"] if is_quick else [])],
        }
    found = {name: [str(HERE / program), *arguments] for name, (program, *arguments) in found.items()}
    chosen = [] if is_quick else ["-m", ""]
    for path in sorted((ROOT / "tests" / "dropin").glob("test_*.py")):  # one by one: another version may crash in one
        found[f"tests {path.stem[5:]}"] = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, str(path)]
    return found


def comparison(name: str, arguments: list[str]) -> Comparison:
    """A program, and the end of what it wrote if it found a difference.

    A process of tests may crash at its end, in the code of the other version, after all of them have passed or skipped.
    """
    case = Comparison(name)
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    text = "\n".join((done.stdout + done.stderr).splitlines()[-LAST_LINES:])
    summary = re.findall(r"^(?=.*\b(?:passed|skipped)\b)(?!.*\b(?:failed|errors?)\b).*$", text, re.MULTILINE)
    is_empty = "pytest" in arguments and done.returncode == NOTHING_CHOSEN
    if done.returncode < 0 and summary:
        case.note = "crashed at its end"
    elif done.returncode != 0 and not is_empty:
        case.differs(f"{' '.join(arguments[:2])} ...\n{text}")
    return case


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for the names, and one for each program."""
    print(f"sentencepiece {importlib.metadata.version('sentencepiece')}; spm_lite behaves as {KNOWN}")
    if not args.only or "names" in args.only:
        case = Comparison("names")
        case.shown = sys.maxsize
        for text in differences_of_names():
            case.differs(text)
        yield case
    for name, arguments in commands(args.data, args.quick).items():
        if not args.only or name.split()[0] in args.only:
            print(f"{name} ...", file=sys.stderr, flush=True)  # some take many minutes
            yield comparison(name, arguments)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="with models/ and corpora/")
    parser.add_argument("--quick", action="store_true", help="some minutes: few models, one corpus, few strings")
    parser.add_argument("--only", nargs="*", default=[], metavar="PART", help="names, ids, n-best, ...")
    sys.exit(run(parser, comparisons))
