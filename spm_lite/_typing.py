"""Stand-ins for names of `typing`: importing `typing` itself would be a third of the time to load a model.

Names that only annotations use are imported under `if TYPE_CHECKING`; `typing.get_type_hints` cannot resolve them. Type
checkers and editors read the stub, where the names are those of `typing`.
"""

TYPE_CHECKING = False


def final(kind):
    kind.__final__ = True
    return kind


def overload(function):
    return function
