"""Names of `typing` for annotations, without importing it: that takes 5 % of a cold start.

Modules that a successful compilation imports take the names from here; tests/unit/test_imports.py checks it.
Their annotations are never evaluated. At run time, the names only stand in aliases such as `Schema = dict[str, Any]`.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import IO as IO
    from typing import Any as Any
    from typing import ClassVar as ClassVar
    from typing import Literal as Literal
    from typing import NoReturn as NoReturn
    from typing import Self as Self
    from typing import dataclass_transform as dataclass_transform
else:

    class _Name:
        def __getitem__(self, _):
            return self

        __or__ = __ror__ = __getitem__

    IO = Any = ClassVar = Literal = NoReturn = Self = _Name()

    def dataclass_transform(**_):
        return lambda cls: cls
