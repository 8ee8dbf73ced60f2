"""What modules that loading a model imports take from `typing`, without its import: that would be a third of a load.

All that is in annotations alone stands under `if TYPE_CHECKING`; so `typing.get_type_hints` does not know it.
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
