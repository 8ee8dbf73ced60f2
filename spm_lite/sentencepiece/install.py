"""`install_as_sentencepiece`: registers the drop-in in sys.modules under the name sentencepiece."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from spm_lite.errors import SpmLiteError
from spm_lite.sentencepiece import __all__ as NAMES

PACKAGE = "sentencepiece"
VERSION = "0.2.3"  # the version whose behaviour this is
MESSAGE_MODULES = ("sentencepiece_model_pb2", "sentencepiece_pb2")


class InstallError(SpmLiteError, ImportError):
    """The real package was imported already."""


def install_as_sentencepiece(*, force: bool = False) -> None:
    """Make `import sentencepiece` return spm_lite from now on, in this process.

    For programs and libraries that import that name: call it before they do. A second call changes nothing.

    Args:
        force: replace the real package even if it was imported; modules that already hold it keep it.
    Raises:
        InstallError: the real package was imported already, and force is False. It is an ImportError.
    """
    there = sys.modules.get(PACKAGE)
    if there is not None and getattr(there, "__spm_lite__", False):
        return
    if there is not None and not force:
        raise InstallError(
            f"sentencepiece {getattr(there, '__version__', '')} is imported already, from "
            f"{getattr(there, '__file__', '?')}: call install_as_sentencepiece() before the first import of it, or "
            "with force=True"
        )
    for name in [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    sys.modules.update(stand_ins())


def stand_ins() -> dict[str, ModuleType]:
    """Modules for the package and its two message modules, by the names under which they are imported."""
    source = import_module("spm_lite.sentencepiece")
    package = new_module(PACKAGE, source)
    package.__path__ = []  # marks a package; there are no files to find
    for name in NAMES:
        setattr(package, name, getattr(source, name))
    package.__dict__.update(__version__=VERSION, __all__=list(NAMES), __spm_lite__=True)
    modules = {PACKAGE: package}
    for name in MESSAGE_MODULES:
        messages = import_module(f"spm_lite.{name}")
        module = new_module(f"{PACKAGE}.{name}", messages)
        module.__dict__.update({key: value for key, value in vars(messages).items() if not key.startswith("_")})
        setattr(package, name, module)
        modules[module.__name__] = module
    return modules


def new_module(name: str, source: ModuleType) -> ModuleType:
    """Return an empty module of this name, with the file and docstring of its source."""
    module = ModuleType(name, source.__doc__)
    spec = ModuleSpec(name, None, origin=source.__file__, is_package=name == PACKAGE)
    module.__spec__ = spec
    module.__file__ = source.__file__
    module.__package__ = PACKAGE
    return module
