"""Flags as users type them: those of sentencepiece's tools are understood or explained, and errors name our own."""

import re
import shlex

import pytest
from oracle.small_models import small_model

import spm_lite
from spm_lite.cli.command_names import module_of
from spm_lite.cli.main import COMMANDS, main
from spm_lite.cli.options.other_flags import FLAGS, MEANINGS, TOOLS, what_to_write, with_flags
from spm_lite.cli.options.parsing import CommandParser, UsageError
from spm_lite.cli.options.training_options import FROM_FILES, OLD_FLAGS, OPTIONS, add_training_options, training_options

TRAIN_FLAGS = """
    accept_language=en add_dummy_prefix=true allow_whitespace_only_pieces=false auto_character_coverage=f bos_id=1
    bos_piece=<s> byte_fallback=true character_coverage=0.9995 control_symbols=<a>,<b> control_symbols_file=s.txt
    denormalization_rule_tsv=r.tsv differential_privacy_clipping_threshold=0 differential_privacy_noise_level=0
    enable_differential_privacy=false eos_id=2 eos_piece=</s> hard_vocab_limit=false input=a.txt,b.txt input_format=text
    input_sentence_size=100000000 max_sentence_length=4192 max_sentencepiece_length=16 min_freq_alpha=0
    mining_sentence_size=0 minloglevel=1 model_type=bpe normalization_rule_name=nmt_nfkc
    normalization_rule_tsv=r.tsv num_sub_iterations=2 num_threads=16 pad_id=-1 pad_piece=<pad> post_l1_debias=true
    pretokenization_delimiter=| random_seed=7 remove_extra_whitespaces=true required_chars=xyz required_chars_file=s.txt
    seed_piece_length_power=1 seed_sentencepiece_size=1000000 seed_sentencepieces_file=s.tsv self_test_sample_size=0
    shrinking_factor=0.75 shuffle_input_sentence=1 split_by_number=yes split_by_unicode_script=n split_by_whitespace=T
    split_digits=TRUE train_extremely_large_corpus=true training_sentence_size=0 treat_whitespace_as_suffix=0 unk_id=0
    unk_piece=<unk> unk_surface=? use_all_vocab=false use_sparse_pruning=false user_defined_symbols=<c>
    user_defined_symbols_file=s.txt vocab_size=8000 vocabulary_output_piece_score=true
"""
TOOL_FLAGS = {
    "encode": """
        input=a.txt extra_options=bos:eos:reverse nbest_size=10 alpha=0.5 random_seed=1 minloglevel=1 version
    """,
    "decode": "input=a.txt output_format=string extra_options=reverse minloglevel=1 version",
    "inspect": "minloglevel=1 version",
}


def parse(*arguments):
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    return parser.parse(list(arguments))


def message(*arguments):
    with pytest.raises(UsageError) as caught:
        parse(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("flag", TRAIN_FLAGS.split())
def test_every_flag_of_spm_train(flag):
    """Each is read, or refused with what to write for it."""
    name = flag.partition("=")[0]
    if any(option.name == name for option in OPTIONS) or name in FROM_FILES or name in OLD_FLAGS:
        assert name in vars(parse(f"--{flag}")[0])
    else:
        assert message(f"--{flag}").startswith(f"unknown option --{name}: ")


def test_every_field_of_the_original_is_among_them():
    fields = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    names = {flag.partition("=")[0] for flag in TRAIN_FLAGS.split()}
    assert set(fields.TrainerSpec.DESCRIPTOR.fields_by_name) - names == {"model_prefix"}  # an option of `train` itself


@pytest.mark.parametrize("command", TOOL_FLAGS)
def test_every_flag_of_the_other_tools(command, capsys):
    for flag in TOOL_FLAGS[command].split():
        assert main([command, f"--{flag}"]) == 2
        assert f"unknown option --{flag.partition('=')[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--vocab_size=9", "--vocab-size=9"),
        ("--vocab_size 9", "--vocab-size 9"),
        ("--unk_piece=a_b=c", "--unk-piece=a_b=c"),
        ("--hard_vocab_limit=false", "--no-hard-vocab-limit"),
        ("--hard-vocab-limit=F", "--no-hard-vocab-limit"),
        ("--nohard_vocab_limit", "--no-hard-vocab-limit"),
        ("--no_hard_vocab_limit", "--no-hard-vocab-limit"),
        ("--split_digits=true --split_by_number=0", "--split-digits --no-split-by-number"),
        ("--split_digits", "--split-digits"),
        ("--split_digits true --split_by_number false a", "--split-digits --no-split-by-number a"),
        ("--split_digits a true", "--split-digits a true"),
        ("--unk_piece true false", "--unk-piece true false"),
        ("x_y.txt --vocab_size=9 -- --vocab_size=9", "x_y.txt --vocab-size=9 -- --vocab_size=9"),
    ],
)
def test_other_spellings(typed, meant):
    ours, theirs = parse(*typed.split()), parse(*meant.split())
    assert training_options(ours[0]) == training_options(theirs[0]) and ours[1] == theirs[1]


def test_a_file_named_false_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "false").write_text("a\n", encoding="utf-8")
    options, files = parse("--split-digits", "false")
    assert training_options(options) == {"split_digits": True} and files == ["false"]


def test_a_switch_with_a_number(tmp_path, monkeypatch):
    """A number after it is its value, unless it is a file."""
    monkeypatch.chdir(tmp_path)
    for typed in (
        "--split-digits 3 a",
        "--split-digits=3 a",
        "a --split_digits=3",
        "--no-split-digits --split-digits 3 a",
    ):
        options, files = parse(*typed.split())
        assert training_options(options) == {"split_digits": 3} and files == ["a"]
    for typed in "--split-digits a", "a --split-digits", "--split-digits=1 a", "--split-digits true a":
        options, files = parse(*typed.split())
        assert training_options(options)["split_digits"] is True and files == ["a"]
    for typed in (
        "--no-split-digits",
        "--split-digits=0",
        "--split_digits=False",
        "--nosplit_digits",
        "--split-digits 0",
    ):
        assert training_options(parse(*typed.split())[0])["split_digits"] is False
    (tmp_path / "3").write_text("a\n", encoding="utf-8")
    options, files = parse("--split-digits", "3")
    assert training_options(options) == {"split_digits": True} and files == ["3"]
    assert "is not a whole number" in message(f"--split-digits={'9' * 5000}")


@pytest.mark.slow
def test_switches_of_other_commands(run, bpe_model):
    plain, begun = (run("encode", "--model", bpe_model, *more, data=b"a\n") for more in ([], ["--bos"]))
    for word in ("=true", "=1", "=Yes"):
        assert run("encode", "--model", bpe_model, f"--bos{word}", data=b"a\n").stdout == begun.stdout
    assert run("encode", "--model", bpe_model, "--bos=false", "--quiet=true", data=b"a\n").stdout == plain.stdout


@pytest.mark.parametrize("flag", ["--split_digits=maybe", "--split-digits=", "--no-split-digits=true", "--quiet=2"])
def test_a_value_that_a_switch_does_not_take(flag, capsys):
    """Each remedy of the message is read without an error."""
    assert main(["train", "f", "--vocab-size", "9", "--model-prefix", "m", flag]) == 2
    error = capsys.readouterr().err
    assert re.search("(takes no value|is true or false); write --", error) and "ignored" not in error
    for remedy in re.findall(r"--[\w=-]+", error.partition("write ")[2].partition(" (see")[0]):
        assert remedy.startswith("--quiet") or parse(remedy)


FOLLOWED = [  # command, what is typed, what the message says to write
    ("train", "--input=a.txt,b_c.txt", "write a.txt b_c.txt"),
    ("train", "--input 'a b.txt'", "write 'a b.txt'"),
    ("train", "--random_seed=7", "write --seed 7"),
    ("train", "--unk_token=U", "use --unk-piece"),
    ("train", "--special_tokens=U", "use --user-defined-symbols"),
    ("train", "--normalization-rule-nam=nfkc", "did you mean --normalization-rule-name"),
    ("encode", "--extra_options=bos:eos", "write --bos --eos"),
    ("encode", "--extra_options=eos", "write --eos"),
    ("encode", "--extra_options=", "leave it out"),
    ("encode", "--input=x.txt", "write x.txt"),
]


@pytest.mark.parametrize(("command", "typed", "written"), FOLLOWED)
def test_what_the_message_says(command, typed, written, capsys):
    assert main([command, *shlex.split(typed)]) == 2
    assert written in capsys.readouterr().err


def test_a_recipe_of_speech_recognition(run, text_file):
    """The command that a recipe gives to spm_train, with what the messages say to write in place of two flags."""
    path = text_file(b"the mill turns all day <noise> and all night\n" * 40)
    recipe = [
        "--vocab_size=600", "--model_type=unigram", "--model_prefix=bpe", "--input_sentence_size=100000000",
        "--hard_vocab_limit=false", "--character_coverage=1.0", "--user_defined_symbols=<noise>",
    ]  # fmt: skip
    refused = run("train", f"--input={path}", *recipe, "--train_extremely_large_corpus=true")
    error = refused.stderr.decode()
    assert refused.returncode == 2 and error.count("unknown option") == 2
    files = re.search(r"write (\S+);", error)
    assert files and "--train_extremely_large_corpus: leave it out" in error
    done = run("train", files[1], *recipe, "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")


def test_unknown_options_are_named_all_at_once():
    assert message("--foo", "--bar=1", "--modle_type=bpe", "a.txt", "--vocab_size=9") == (
        "unknown options --foo and --bar; unknown option --modle_type; did you mean --model-type? "
        "(see 'spm-lite train --help')"
    )


PYTHON = sorted({text for flags in FLAGS.values() for text in flags.values() if "Processor(" in text})


@pytest.fixture
def unigram_model(tmp_path):
    (tmp_path / "u.model").write_bytes(small_model())
    return str(tmp_path / "u.model")


@pytest.mark.parametrize("text", PYTHON)
def test_the_python_in_messages_runs(text, unigram_model, tmp_path):
    (tmp_path / "v.txt").write_text("a\t1\n", encoding="utf-8")
    code = re.search(r"spm_lite\.SentencePieceProcessor\('?.*?'M'\)\.\w+\([^)]*\)", text)
    assert code
    values = {"spm_lite": spm_lite, "text": "a pen", "file": str(tmp_path / "v.txt"), "threshold": 1}
    eval(code[0].replace("'M'", repr(unigram_model)), values)


@pytest.mark.parametrize(("command", "value"), [("encode", "bos:reverse"), ("decode", "reverse")])
def test_the_python_for_extra_options_runs(command, value, bpe_model):
    code = re.search(r"spm_lite\..*\)(?= does it)", what_to_write(command, "--extra_options", value))
    eval(code[0].replace("'M'", repr(bpe_model)), {"spm_lite": spm_lite})


@pytest.mark.parametrize("output_format", ["sample_id", "sample_piece", "nbest_id", "nbest_piece", "proto"])
def test_output_formats_of_spm_encode(output_format, capsys):
    assert main(["encode", "--model=m", f"--output_format={output_format}"]) == 2
    assert (
        f"'{output_format}' is not one of id, piece, bin, npy, megatron, datatrove, parquet: in Python, spm_lite."
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_names_of_tools(tool, capsys):
    assert main([tool, "--model=m"]) == 2
    error = capsys.readouterr().err
    assert f"unknown command {tool!r}: {TOOLS[tool]}" in error
    written = re.fullmatch(r"write (\w+)", TOOLS[tool])
    assert not written or written[1] in COMMANDS


COLUMN = "there is no column 'text'. Name it with column='NAME', or read the file as it is with input_format='text'"


@pytest.mark.parametrize(
    ("message", "flags", "shown"),
    [
        (COLUMN, ["--column", "--as-text"], "--column NAME, or read the file as it is with --as-text"),
        (COLUMN, ["--column"], "Name it with --column NAME"),
        (COLUMN, ["--column", "--input-format"], "or read the file as it is with --input-format text"),
        ("dtype 'int32' is not known, which format='bin' has", ["--dtype", "--output-format"],
         "--dtype 'int32' is not known, which --output-format bin has"),
        ("byte_fallback=False loses it", ["--byte-fallback", "--no-byte-fallback"], "--no-byte-fallback loses it"),
        ("text 1 of the batch is NoneType", ["--text"], "text 1 of the batch is NoneType"),
        ("the file 'shard_size' is empty", ["--shard-size"], "the file 'shard_size' is empty"),
        ("shard_size 0 is below 1", ["--shard-size"], "--shard-size 0 is below 1"),
        ("a=1 and seed=2", ["--seed"], "a=1 and --seed 2"),
        ("pass parallel, or leave out reference", [], "pass parallel, or leave out reference"),
    ],
)  # fmt: skip
def test_options_are_shown_as_typed(message, flags, shown):
    assert with_flags(message, flags).endswith(shown)


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "t.csv", "--model-prefix", "m"],
        ["sweep", "t.csv", "--sizes", "300"],
        ["sweep", "lines.txt", "--sizes", "300", "--text", "t.csv"],
        ["sweep", "lines.txt", "--sizes", "12"],
        ["sweep", "lines.txt", "--sizes", "300", "--vocab-size", "5", "--input-format", "tsv"],
        ["count", "-m", "MODEL", "t.csv"],
        ["encode", "-m", "MODEL", "t.csv"],
        ["encode", "-m", "MODEL", "t.csv", "--output-format", "bin", "-o", "x.bin"],
        ["encode", "-m", "MODEL", "lines.txt", "--output-format", "bin", "-o", "x.bin", "--dtype", "int32"],
        ["normalize", "-m", "MODEL", "t.csv"],
        ["compare", "MODEL", "MODEL", "t.csv"],
        ["bench", "MODEL", "t.csv"],
        ["audit", "MODEL", "--text", "a=t.csv"],
        ["audit", "MODEL", "--text", "a=lines.txt", "--reference", "a"],
        ["audit", "MODEL", "--parallel", "a=lines.txt"],
    ],
)
def test_an_error_names_no_option_of_another_command(bpe_model, arguments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,body\n1,a text\n")
    (tmp_path / "lines.txt").write_text("some words and some more words\nand others\n" * 3)
    assert main([str(bpe_model) if part == "MODEL" else part for part in arguments]) in (1, 2)
    shown = re.sub(r"unknown option \S+", "", capfd.readouterr().err)
    named = set(re.findall(r"(?<![-\w])--[a-z][-a-z]*", shown)) - {"--help"}
    assert named, shown
    assert named <= set(module_of(arguments[0]).make_parser().flags), shown


def test_meanings_are_of_options_that_are_there():
    """Each option of the table is one of some command, and none of its other names is an option of such a command."""
    flags = {command: set(module_of(command).make_parser().flags) for command in COMMANDS}
    for flag, names in MEANINGS.items():
        having = [command for command, known in flags.items() if flag in known]
        assert having
        for name in names.split():
            answers = [
                what_to_write(c, f"--{name}", "9", flags[c])
                for c in having
                if f"--{name.replace('_', '-')}" not in flags[c]
            ]
            assert all(answers), (flag, name)


@pytest.mark.parametrize(
    ("command", "option", "value", "written"),
    [
        ("train", "--model", "BPE", ": write --model-type bpe for the kind"),
        ("train", "-m", "new.model", ": write --model-prefix new to name the files"),
        ("sweep", "--model", "wp", ": write --model-type wordpiece for the kind of model; --save names"),
        ("train", "--model-type=tiktoken", "", ": write --model-type byte_bpe"),
        ("encode", "--workers", "3", ": write --num-threads 3"),
        ("encode", "--Pieces", "", ": write --output-format piece"),
        ("play", "-m", "m.model", ": models are named without an option: write m.model"),
        ("count", "--skip-errors", "", ": write --on-error skip"),
        ("encode", "--magic", "", ""),
    ],
)
def test_options_by_meaning(command, option, value, written):
    name = option.replace("--model-type=", "model_type=")
    found = what_to_write(command, name, value, module_of(command).make_parser().flags)
    assert found.startswith(written) and bool(found) == bool(written)


def test_output_of_a_command_that_saves():
    for name in ("-o", "--output"):
        assert what_to_write("sweep", name, "q", module_of("sweep").make_parser().flags) == ": write --save q"
