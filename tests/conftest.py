"""Paths for all tests: which spm_lite is tested, and where the shared test data are."""

import logging
import os
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.internal import api_implementation
from hypothesis import HealthCheck, settings
from oracle import native

ROOT = Path(__file__).resolve().parent.parent

# `python -m pytest` puts the current folder first on sys.path. The source folder can be imported only where it was
# built in place; otherwise the installed package is the one to test.
if not any((ROOT / "spm_lite" / "base" / "structures").glob("double_array.*.so")):
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT]

SHARED_DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))

# No test watches the clock: what else the machine does must not decide.
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what protobuf in pure Python does otherwise; compile what tests ask of C functions."""
    if item.get_closest_marker("compiled_protobuf") and api_implementation.Type() == "python":
        pytest.skip("protobuf is pure Python here")
    if getattr(item.module, "native", None) is native:
        native.load()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real models, corpora and tables; tests that need it are skipped where it is missing."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no shared test data at {SHARED_DATA} (set SPM_LITE_TEST_DATA)")
    return SHARED_DATA


@pytest.fixture
def null_device(tmp_path: Path) -> Path:
    """A device that takes all that is written. It is our own: a test run by root might replace the system's."""
    device = tmp_path / "null"
    if os.geteuid() == 0:
        os.mknod(device, 0o666 | stat.S_IFCHR, Path("/dev/null").stat().st_rdev)
    else:
        device.symlink_to("/dev/null")
    return device


@pytest.fixture(autouse=True)
def log_level_as_before() -> Iterator[None]:
    """`minloglevel` of the drop-in holds for the whole process, as in the original."""
    from spm_lite.sentencepiece import settings as drop_in

    logger = logging.getLogger("spm_lite")
    before = drop_in._min_log_level, logger.level
    yield
    drop_in._min_log_level, level = before
    logger.setLevel(level)


@pytest.fixture(autouse=True, scope="session")
def signals_are_heard() -> None:
    """A suite started in the background or by nohup inherits that signals are ignored, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
