"""What modules that loading a model imports take from `typing`, without its import: that would be a third of a load."""

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
