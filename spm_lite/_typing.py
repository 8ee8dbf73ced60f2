"""Stand-ins for names of `typing`: importing `typing` itself would be a third of the time to load a model.

Names that only annotations use are imported under `if TYPE_CHECKING`; `typing.get_type_hints` cannot resolve them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import final as final
    from typing import overload as overload
else:

    def final(kind):
        kind.__final__ = True
        return kind

    def overload(function):
        return function
