"""Stand-ins for names of `typing`: importing `typing` itself would be a third of the time to load a model.

Names that only annotations use are imported under `if TYPE_CHECKING`; `typing.get_type_hints` cannot resolve them. Type
checkers and editors read the stub, which has the names of `typing`.
"""

TYPE_CHECKING = False


def final(kind):
    kind.__final__ = True
    return kind


def overload(function):
    return function


class NamedTupleType(type):
    """Makes a named tuple of a class body, as `typing.NamedTuple` does."""

    def __new__(cls, name, bases, space):
        if not bases:
            return super().__new__(cls, name, bases, space)
        from collections import namedtuple  # here, since `import spm_lite` does without it

        fields = space["__annotations__"]
        defaults = [space[field] for field in fields if field in space]
        made = namedtuple(name, fields, defaults=defaults, module=space["__module__"])
        for key, value in space.items():
            if key not in ("__module__", "__qualname__", *fields):
                setattr(made, key, value)
        return made


class NamedTuple(metaclass=NamedTupleType):
    pass
