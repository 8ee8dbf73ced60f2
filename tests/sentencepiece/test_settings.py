"""The functions of the module and ThreadPool, call for call beside sentencepiece."""

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sentencepiece")

import sentencepiece
from oracle.outcomes import assert_same_outcome

from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.standalone_normalizer import SentencePieceNormalizer

NUMBERS = [0, 1, 3, -1, -(2**31), 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**70, True, 1.0, 2.5, "1", None, b"1"]
SETTERS = [
    ("SetRandomGeneratorSeed", "set_random_generator_seed"),
    ("SetMinLogLevel", "set_min_log_level"),
    ("SetNBestTimeout", "set_nbest_timeout"),
    ("SetDataDir", "set_data_dir"),
]
PACKAGE_DATA = Path(sentencepiece.__file__).parent / "package_data"


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test sets is taken back, here and there."""
    for name in ("_seeding", "_nbest_timeout", "_data_dir", "_min_log_level"):
        monkeypatch.setattr(settings, name, getattr(settings, name))
    level = settings.logger().level
    yield
    settings.logger().setLevel(level)
    sentencepiece.SetMinLogLevel(0)
    sentencepiece.SetNBestTimeout(30000)
    sentencepiece.SetDataDir(str(PACKAGE_DATA))


@pytest.mark.parametrize("names", SETTERS, ids=lambda names: names[1])
def test_two_names(names: tuple[str, str]) -> None:
    assert getattr(settings, names[0]) is getattr(settings, names[1])


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
@pytest.mark.parametrize("name", [names[0] for names in SETTERS[:3]])
def test_numbers(name: str, value: Any) -> None:
    assert_same_outcome(lambda: getattr(settings, name)(value), lambda: getattr(sentencepiece, name)(value))


@pytest.mark.parametrize("names", SETTERS, ids=lambda names: names[1])
def test_positional_only(names: tuple[str, str]) -> None:
    with pytest.raises(TypeError):
        getattr(settings, names[1])(value=1)


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_thread_pool(value: Any) -> None:
    assert_same_outcome(
        lambda: settings.ThreadPool(value).num_threads(), lambda: sentencepiece.ThreadPool(value).num_threads()
    )


@pytest.mark.parametrize("arguments", [((), {}), ((1, 2), {}), ((), {"num_threads": 2})])
def test_thread_pool_is_positional(arguments: Any) -> None:
    with pytest.raises(TypeError):
        settings.ThreadPool(*arguments[0], **arguments[1])


def test_seed() -> None:
    before = settings.seeding()
    settings.set_random_generator_seed(7)
    first = settings.seeding()
    assert first is not before and settings.random_seed() == 7
    settings.set_random_generator_seed(2**32 - 1)  # changes nothing
    assert settings.seeding() is first
    settings.set_random_generator_seed(7)  # begins anew
    assert settings.seeding() is not first and settings.random_seed() == 7


@pytest.mark.parametrize(
    ("number", "level"), [(-5, logging.INFO), (0, logging.INFO), (1, logging.WARNING), (2, logging.ERROR)]
)
def test_log_level(number: int, level: int) -> None:
    settings.set_min_log_level(number)
    assert (settings.min_log_level(), logging.getLogger("spm_lite").level) == (number, level)


def test_log_level_has_no_end() -> None:
    settings.set_min_log_level(9)
    assert logging.getLogger("spm_lite").level == logging.CRITICAL


def test_nbest_timeout() -> None:
    assert settings.nbest_timeout_ms() == 30_000
    settings.set_nbest_timeout(-1)
    assert settings.nbest_timeout_ms() == -1


def rule_outcomes(name: str) -> None:
    assert_same_outcome(
        lambda: SentencePieceNormalizer(rule_name=name).normalize("\uff21 b"),
        lambda: sentencepiece.SentencePieceNormalizer(rule_name=name).normalize("\uff21 b"),
    )


NAMES = ["identity", "nfkc", "my-rules", "bad", "empty", "Bad", "a b", "a/b", "nfkc2", "user_defined", "../x"]


@pytest.mark.parametrize("name", NAMES)
def test_data_dir(tmp_path: Path, name: str) -> None:
    shutil.copy(PACKAGE_DATA / "nmt_nfkc.bin", tmp_path / "my-rules.bin")
    (tmp_path / "bad.bin").write_bytes(b"abc")
    (tmp_path / "empty.bin").write_bytes(b"")
    rule_outcomes(name)
    for module in (settings, sentencepiece):
        module.SetDataDir(str(tmp_path))
    rule_outcomes(name)
    for module in (settings, sentencepiece):
        module.SetDataDir(str(PACKAGE_DATA).encode() + b"/")
    rule_outcomes(name)


@pytest.mark.parametrize("value", [None, 5, ["a"]], ids=repr)
def test_no_data_dir(value: Any) -> None:
    assert_same_outcome(lambda: settings.SetDataDir(value), lambda: sentencepiece.SetDataDir(value))


def test_data_dir_is_any_path(tmp_path: Path) -> None:
    settings.set_data_dir(tmp_path)
    assert settings.data_dir() == os.fspath(tmp_path)
