from typing import TYPE_CHECKING as TYPE_CHECKING
from typing import NamedTuple as NamedTuple
from typing import final as final
from typing import overload as overload
