"""A training that was stopped goes on, to the same model."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import ModelError, OptionError, Tokenizer, train
from spm_lite.files.folder_lock import FolderLock
from spm_lite.training import checkpoint as module
from spm_lite.training.checkpoint import IDENTITY, pack, remove_states, unpack

RANDOM = random.Random(1)
STEMS = ["".join(RANDOM.choices("abcdefgh", k=RANDOM.randint(2, 4))) for _ in range(60)]
LINES = [" ".join(RANDOM.choice(STEMS) + RANDOM.choice(STEMS) for _ in range(6)) for _ in range(400)]
LINES += ["".join(RANDOM.choices([*STEMS, "7", "-"], k=9000))]  # long enough to be cut while training


class Stopped(Exception):
    """What the progress function raises."""


@pytest.fixture(autouse=True)
def each_state(monkeypatch):
    monkeypatch.setattr(module.Checkpoint.__init__, "__defaults__", (0.0,))


def stopped(folder: Path, phase: str, number: int, source=LINES, **options) -> None:
    """Train until a phase has reported so often."""
    seen = 0

    def stop(progress: spm_lite.Progress) -> None:
        nonlocal seen
        seen += progress.phase == phase
        if progress.phase == phase and seen == number:
            raise Stopped

    with pytest.raises(Stopped):
        train(source, checkpoint=folder, progress=stop, **options)


OPTIONS = {
    "vocab_size": 320, "seed_sentencepiece_size": 3000, "num_sub_iterations": 1, "split_by_whitespace": False,
    "seed_source": "substrings",
}  # fmt: skip


@pytest.mark.parametrize("number", [1, 2, 4])
def test_goes_on_between_rounds(number, tmp_path):
    folder = tmp_path / "states"
    whole = train(LINES, **OPTIONS)
    assert len(whole.report.figures["pruned"]) > number
    stopped(folder, "em", number, **OPTIONS)
    assert {path.name for path in folder.iterdir()} == {"training.json", "figures.json", "table.counts", "state.json"}
    phases = []
    again = train(list(LINES), checkpoint=folder, progress=lambda progress: phases.append(progress.phase), **OPTIONS)
    assert again == whole
    assert again.report.figures == whole.report.figures
    assert again.report.lines_read == whole.report.lines_read
    assert phases.count("em") == len(whole.report.figures["pruned"]) - number
    assert not folder.exists()


def test_an_empty_piece_in_a_state_is_an_error(tmp_path):
    folder = tmp_path / "states"
    stopped(folder, "em", 1, **OPTIONS)
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))["value"]
    for name, value in (("pieces", ""), ("scores", -5.0), ("rare", 0)):
        state[name].append(value)
    (folder / "state.json").write_bytes(pack(json.dumps(state).encode()))
    with pytest.raises(ModelError, match="is damaged"):
        train(LINES, checkpoint=folder, **OPTIONS)


@pytest.mark.parametrize("number", [1, 3])
def test_goes_on_between_the_merges_for_the_seeds(number, tmp_path):
    folder, options = tmp_path / "states", {"vocab_size": 1500, "split_by_whitespace": False}
    whole = train(LINES, **options)
    stopped(folder, "seeds", number + 1, **options)  # the first call tells that the phase begins
    n_saved = len(json.loads((folder / "state.json").read_text(encoding="utf-8"))["value"]["merges"])
    assert 0 < n_saved < whole.report.figures["seeds"]
    again = train(list(LINES), checkpoint=folder, **options)
    assert again == whole
    assert again.report.figures == whole.report.figures


BPE = {"model_type": "bpe", "vocab_size": 3500}
OVERLAPPING = ["aaaa" * 50 + "abab" * 30 + "aabaab" * 20, "b" * 3001, *LINES]
CLUSTERS = [line.replace("a", "a\u0301").replace("e", "e\u0301\u0323") for line in LINES]
FLAGS = ["🇧🇨"] * 2000 + ["🇦🇧🇨🇩"] * 800 + ["🇦🇧🇨"] * 700  # 🇦 + 🇧🇨 counts 700 times, and then 🇦🇧🇨 + 🇩 800 times


@pytest.mark.parametrize(
    ("number", "source", "changed"),
    [
        (1, LINES, {}),
        (2, LINES, {"split_by_whitespace": False}),
        (3, LINES, {"split_by_whitespace": False, "max_sentencepiece_length": 40}),
        (1, OVERLAPPING, {"split_by_whitespace": False, "max_sentencepiece_length": 64}),
        (2, OVERLAPPING, {"split_by_whitespace": False, "character_coverage": "auto"}),
        (1, CLUSTERS, {"graphemes": True, "split_by_whitespace": False}),
        (1, [*FLAGS, *LINES], {"graphemes": True}),
    ],
)
def test_goes_on_between_merges(number, source, changed, tmp_path):
    options = {**BPE, **changed}
    whole = train(source, **options)
    stopped(tmp_path / "states", "merges", number, source, **options)
    state = json.loads((tmp_path / "states" / "state.json").read_text(encoding="utf-8"))["value"]
    assert 900 * number < len(state["merges"]) < whole.report.figures["merges"]
    calls = []
    again = train(source, checkpoint=tmp_path / "states", num_threads=1, progress=calls.append, **options)
    assert again == whole
    assert again.report.figures == whole.report.figures
    assert min(call.done for call in calls if call.phase == "merges") > len(state["merges"])
    assert not (tmp_path / "states").exists()


@pytest.mark.parametrize("model_type", ["bpe", "char", "word", "unigram"])
def test_goes_on_from_the_table(model_type, tmp_path):
    options = {"vocab_size": 300, "model_type": model_type, "hard_vocab_limit": False}
    (tmp_path / "a.txt").write_text("\n".join(LINES), encoding="utf-8")
    whole = train(tmp_path / "a.txt", **options)
    stopped(tmp_path / "states", "alphabet", 1, tmp_path / "a.txt", **options)
    (tmp_path / "states" / "notes.txt").write_text("mine", encoding="utf-8")
    again = train(tmp_path / "a.txt", checkpoint=tmp_path / "states", num_threads=1, **options)
    assert again == whole
    assert again.report.files == whole.report.files
    assert [path.name for path in (tmp_path / "states").iterdir()] == ["notes.txt"]


def test_with_a_memory_limit(tmp_path):
    options = {"vocab_size": 320, "memory_limit": "80MB"}
    stopped(tmp_path / "states", "alphabet", 1, **options)
    again = train(LINES, checkpoint=tmp_path / "states", **options)
    assert again == train(LINES, **options)


@pytest.mark.parametrize("options", [OPTIONS, BPE])
def test_kept(options, tmp_path):
    """A caller who could not save the model gets it again."""
    whole = train(LINES, checkpoint=tmp_path / "states", keep_checkpoint=True, **options)
    assert (tmp_path / "states" / "state.json").exists()
    assert train(LINES, checkpoint=tmp_path / "states", **options) == whole
    assert not (tmp_path / "states").exists()


def test_finished_at_once(tmp_path):
    assert train(LINES, checkpoint=str(tmp_path / "deep" / "states"), **OPTIONS) == train(LINES, **OPTIONS)
    assert not (tmp_path / "deep" / "states").exists()


@pytest.mark.parametrize(
    ("changed", "name"),
    [({"vocab_size": 321}, "vocab_size is 320"), ({"split_digits": True}, "split_digits is False"),
     ({"normalization": "nfkc"}, "lossless is True"), ({"seed": 1}, "seed is 0")],
)  # fmt: skip
def test_other_options(changed, name, tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    with pytest.raises(OptionError, match=f"is of another training, in which {name}"):
        train(LINES, checkpoint=tmp_path, **{**OPTIONS, **changed})
    assert isinstance(train(LINES, checkpoint=tmp_path, **OPTIONS), Tokenizer)


def test_a_long_name_of_an_option(tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    file = tmp_path / IDENTITY
    file.write_bytes(pack(json.dumps({**json.loads(unpack(file.read_bytes())), "x" * 10_000: 1}).encode()))
    with pytest.raises(OptionError, match=f"in which {'x' * 60} is 1, not None"):
        train(LINES, checkpoint=tmp_path, **OPTIONS)


def test_other_texts(tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    with pytest.raises(OptionError, match="in which the input is"):
        train([*LINES, "more"], checkpoint=tmp_path, **OPTIONS)


def test_iterators_are_not_read_again(tmp_path):
    stopped(tmp_path, "em", 1, iter(LINES), **OPTIONS)
    assert train(iter(["not read"]), checkpoint=tmp_path, **OPTIONS) == train(LINES, **OPTIONS)


@pytest.mark.parametrize("name", ["figures.json", "state.json", "table.counts"])
def test_folder_of_others(name, tmp_path):
    (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(OptionError, match=f"holds {name!r}, not files of a training"):
        train(LINES, checkpoint=tmp_path, **OPTIONS)
    assert (tmp_path / name).read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("figures", ["{}", "[1]", "null", '{"files": 1}'])
def test_damaged_figures(figures, tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    (tmp_path / "figures.json").write_text(figures, encoding="utf-8")
    if figures != "null":
        with pytest.raises(ModelError, match=r"figures\.json' is damaged"):
            train(LINES, checkpoint=tmp_path, **OPTIONS)
        assert (tmp_path / "state.json").exists()


def test_table_of_others(tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    spm_lite.CountTable.count(LINES, split_digits=True).save(tmp_path / "table.counts")
    with pytest.raises(ModelError, match="is not of this training"):
        train(LINES, checkpoint=tmp_path, **OPTIONS)


def test_other_files(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("\n".join(LINES), encoding="utf-8")
    stopped(tmp_path / "states", "em", 1, tmp_path / "a", **OPTIONS)
    with pytest.raises(OptionError, match="in which the input is"):
        train(tmp_path / "b", checkpoint=tmp_path / "states", **OPTIONS)


@pytest.mark.parametrize("name", ["state.json", "figures.json", "training.json", "table.counts"])
def test_damaged(name, tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    data = (tmp_path / name).read_bytes()
    for changed in (data[: len(data) // 2], b"", b"\xff" * 50):
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(ModelError, match=rf"{name}. is damaged: .*Remove the folder and train again"):
            train(LINES, checkpoint=tmp_path, **OPTIONS)


def test_a_table_that_is_gone(tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    (tmp_path / "table.counts").unlink()
    with pytest.raises(
        ModelError, match=r"not a complete count table \(.*No such file.*Remove the folder and train again"
    ):
        train(LINES, checkpoint=tmp_path, **OPTIONS)


@pytest.mark.parametrize(
    "change",
    [
        {"pieces": ["a"]}, {"scores": []}, {"segments": []}, {"segments": [[0, 1]]}, {"n_left": "x"}, {"rare": None},
        {"figures": {}}, {"segments": None}, {"pieces": None}, {"figures": {"seeds": 5}}, {"n_left": 0},
        {"n_left": 10**30}, {"n_before": None},
    ],
)  # fmt: skip
def test_damaged_state(change, tmp_path):
    stopped(tmp_path, "em", 1, **OPTIONS)
    state = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["value"]
    (tmp_path / "state.json").write_bytes(pack(json.dumps({**state, **change}).encode()))
    with pytest.raises(ModelError, match=r"state\.json' is damaged"):
        train(LINES, checkpoint=tmp_path, **OPTIONS)


@pytest.mark.parametrize(
    "change",
    [
        {"merges": None}, {"merges": [[0, 1]]}, {"merges": [[0, 1, 5], [0, 1, 5]]}, {"merges": [[0, 99, 5]]},
        {"merges": [[0, -1, 5]]}, {"merges": [[0, 1, 0]]}, {"merges": [[0, 1, 5], [1, 0, 6]]}, {"alphabet": "ab"},
        {"merges": [[0, 1, 2**64]]}, {"merges": [["0", 1, 5]]}, {"merges": [[0, 1, 5]] * 4000}, {"merges": [7]},
    ],
)  # fmt: skip
def test_damaged_merges(change, tmp_path):
    stopped(tmp_path, "merges", 1, **BPE)
    state = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["value"]
    (tmp_path / "state.json").write_bytes(pack(json.dumps({**state, **change}).encode()))
    with pytest.raises(ModelError, match=r"state\.json' is damaged"):
        train(LINES, checkpoint=tmp_path, **BPE)


def test_refused(tmp_path):
    with pytest.raises(OptionError, match="reference_rules=True: such a training cannot be resumed"):
        train(LINES, checkpoint=tmp_path, reference_rules=True, **OPTIONS)
    with pytest.raises(OptionError, match="a count table: save the table"):
        train(spm_lite.CountTable.count(LINES), checkpoint=tmp_path, vocab_size=320)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for folder in ("file", "file/inner"):
        with pytest.raises(OptionError, match="is a file, or is to be in one: name a folder"):
            train(LINES, checkpoint=tmp_path / folder, **OPTIONS)
    with pytest.raises(OptionError, match="checkpoint is empty: name a folder"):
        train(LINES, checkpoint="", **OPTIONS)
    with pytest.raises(spm_lite.ArgumentTypeError, match="checkpoint is str, bytes or PathLike, not int 5"):
        train(LINES, checkpoint=5, **OPTIONS)


@pytest.mark.parametrize("options", slow_after(1, [OPTIONS, BPE]), ids=["unigram", "bpe"])
@pytest.mark.parametrize("name", ["state.json", "training.json", "figures.json"])
def test_no_flipped_bit_gives_another_model(name, options, tmp_path):
    stopped(tmp_path, "em" if options is OPTIONS else "merges", 1, **options)
    data = (tmp_path / name).read_bytes()
    for _ in range(60):
        flipped = bytearray(data)
        flipped[RANDOM.randrange(len(data))] ^= 1 << RANDOM.randrange(8)
        (tmp_path / name).write_bytes(flipped)
        with pytest.raises(ModelError, match=rf"{name}. is damaged"):
            train(LINES, checkpoint=tmp_path, **options)
    (tmp_path / name).write_bytes(data)
    assert train(LINES, checkpoint=tmp_path, **options) == train(LINES, **options)


def test_one_training_at_a_time(tmp_path):
    refused = []

    def start_another(_):
        if not refused:
            with pytest.raises(OptionError, match="in use by another training: wait for its end, or give") as caught:
                train(LINES, checkpoint=tmp_path / "states", **OPTIONS)
            refused.append(caught)

    assert train(LINES, checkpoint=tmp_path / "states", progress=start_another, **OPTIONS) == train(LINES, **OPTIONS)
    assert refused
    assert not (tmp_path / "states").exists()


HOLDER = """
import sys, spm_lite
def wait(_):
    print(flush=True)
    sys.stdin.read()
spm_lite.train(["ab abc b c"] * 9, model_type="bpe", vocab_size=265, checkpoint=sys.argv[1], progress=wait)
"""


@pytest.mark.parametrize("is_killed", [True, False])
def test_another_process(is_killed, tmp_path):
    folder = tmp_path / "states"
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        cwd=sys.prefix, env=environment,
    ) as process:  # fmt: skip
        process.stdout.readline()
        call = {"model_type": "bpe", "vocab_size": 265, "checkpoint": folder}
        with pytest.raises(OptionError, match="in use by another training"):
            train(["ab abc b c"] * 9, **call)
        if is_killed:
            process.kill()
            process.wait()
            assert train(["ab abc b c"] * 9, **call) == train(["ab abc b c"] * 9, model_type="bpe", vocab_size=265)
        else:
            process.communicate()
            assert process.returncode == 0
    assert not folder.exists()


SMALL = ["ab ab abc"] * 9


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.mark.parametrize(
    ("wrong", "error", "right"),
    [
        ({"vocab_size": 4000}, spm_lite.TrainingError, {"vocab_size": 265}),
        ({"vocab_size": 258}, (OptionError, spm_lite.TrainingError), {"vocab_size": 265}),
        ({"vocab_size": 4000, "model_type": "bpe"}, spm_lite.TrainingError, {"model_type": "bpe", "vocab_size": 265}),
        ({"vocab_size": 4000}, spm_lite.TrainingError, {"vocab_size": 4000, "hard_vocab_limit": False}),
        ({"vocab_size": 4000}, spm_lite.TrainingError, {"vocab_size": 265, "split_digits": True}),
        ({"vocab_size": 4000}, spm_lite.TrainingError, {"vocab_size": 265, "memory_limit": "900MB"}),
        ({"separator": "x"}, OptionError, {}),
        ({"input_format": "tsv", "separator": "x"}, OptionError, {}),
        ({"input_format": "tsv", "separator": None}, OptionError, {}),
    ],
)
def test_after_an_error_other_options_have_the_folder(wrong, error, right, tmp_path):
    call = {"vocab_size": 265, "checkpoint": tmp_path / "states"}
    for _ in range(2):  # the same call says the same again
        with pytest.raises(error, match=r"^(?!.*another training)"):
            train(SMALL, **{**call, **wrong})
    assert train(SMALL, **{**call, **right}) == train(SMALL, **{"vocab_size": 265, **right})
    assert not (tmp_path / "states").exists()


def outcome(**call):
    """The model of a training, or its error in words."""
    try:
        return train(SMALL, **call)
    except (OptionError, spm_lite.TrainingError) as error:
        return str(error)


@pytest.mark.parametrize(
    "wrong",
    [
        {"vocab_size": 4000}, {"vocab_size": 258}, {"vocab_size": 258, "model_type": "bpe"},
        {"vocab_size": 265, "separator": "x"}, {"vocab_size": 265, "input_format": "tsv", "separator": "x"},
        {"vocab_size": 258, "model_type": "char"}, {"vocab_size": 4000, "model_type": "word"},
    ],
)  # fmt: skip
def test_each_remedy_does_with_the_same_folder_what_it_does_without(wrong, tmp_path):
    folder = tmp_path / "states"
    for _ in range(2):
        with pytest.raises((OptionError, spm_lite.TrainingError)) as caught:
            train(SMALL, checkpoint=folder, **wrong)
        for remedy in caught.value.remedies:
            better = {**wrong, **remedy}
            assert outcome(checkpoint=folder, **better) == outcome(**better)


def test_counts_are_kept_for_other_options_of_learning(tmp_path):
    with pytest.raises(spm_lite.TrainingError):
        train(iter(SMALL), checkpoint=tmp_path, vocab_size=4000)
    assert {"training.json", "table.counts", "figures.json"} <= files_in(tmp_path)
    assert train(iter(["not read"]), checkpoint=tmp_path, vocab_size=265) == train(SMALL, vocab_size=265)


def test_the_same_call_goes_on_after_an_error_of_its_progress_function(tmp_path):
    """The states stay; only a call with other options may have the folder."""

    def fail(progress):
        if progress.phase == "em":
            raise OptionError("mine")

    with pytest.raises(OptionError, match="mine"):
        train(LINES, checkpoint=tmp_path, progress=fail, **OPTIONS)
    assert "state.json" in files_in(tmp_path)
    with pytest.raises(Stopped):
        train(LINES, checkpoint=tmp_path, progress=stop_in_first_round, **OPTIONS)
    assert b"has failed" not in (tmp_path / "training.json").read_bytes()
    again = train(iter(LINES), checkpoint=tmp_path / "other", **OPTIONS)
    phases = []
    assert train(LINES, checkpoint=tmp_path, progress=lambda now: phases.append(now.phase), **OPTIONS) == again
    assert phases.count("em") < len(again.report.figures["pruned"])


def stop_in_first_round(progress):
    if progress.phase == "em":
        raise Stopped


def test_stopped_while_it_counts(tmp_path):
    """There is nothing to go on from, so the folder belongs to nobody."""
    stopped(tmp_path / "states", "count", 1, **OPTIONS)
    assert not (tmp_path / "states").exists()
    tmp_path.joinpath("mine").mkdir()
    stopped(tmp_path / "mine", "count", 1, **OPTIONS)
    assert files_in(tmp_path / "mine") == set()
    assert train(SMALL, checkpoint=tmp_path / "mine", vocab_size=265) == train(SMALL, vocab_size=265)


def test_killed_between_identity_and_counts(tmp_path):
    stopped(tmp_path, "alphabet", 1, **OPTIONS)
    for name in ("figures.json", "table.counts"):
        (tmp_path / name).unlink()
    assert train(SMALL, checkpoint=tmp_path, vocab_size=265) == train(SMALL, vocab_size=265)


def test_states_in_use_are_not_removed(tmp_path):
    train(LINES, checkpoint=tmp_path / "states", keep_checkpoint=True, **OPTIONS)
    lock = FolderLock(tmp_path / "states")
    remove_states(tmp_path / "states")
    assert "state.json" in files_in(tmp_path / "states")
    lock.release()
    remove_states(tmp_path / "states")
    assert not (tmp_path / "states").exists()
    remove_states(tmp_path / "states")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_that_unwinds(tmp_path):
    """It neither frees the parent's lock nor marks or removes its files."""
    seen = []

    def fork_once(progress):
        if progress.phase != "em" or seen:
            return
        child = os.fork()
        if child == 0:
            raise OptionError("child")
        seen.append(os.waitpid(child, 0)[1])
        before = files_in(tmp_path / "states")
        assert {".lock", "training.json", "figures.json", "table.counts"} <= before
        assert b"has failed" not in (tmp_path / "states" / "training.json").read_bytes()

    parent = os.getpid()
    try:
        tok = train(LINES, checkpoint=tmp_path / "states", progress=fork_once, **OPTIONS)
    except OptionError:
        os._exit(0 if os.getpid() != parent else 1)
    if os.getpid() != parent:
        os._exit(1)
    assert seen == [0]
    assert tok == train(LINES, **OPTIONS)
    assert not (tmp_path / "states").exists()
