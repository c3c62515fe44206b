"""A plugin of pytest for numba-cuda: its test modules are imported by the names that they have.

The package lies in numba_cuda/numba/cuda and is imported as numba.cuda. From the place of its files pytest would
conclude that it is called cuda, which is another package.
"""

import importlib
import pathlib

import _pytest.python
import pytest

found_by_pytest = _pytest.python.importtestmodule


def import_by_name(path, config):
    parts = pathlib.Path(path).with_suffix("").parts
    if "numba_cuda" not in parts:
        return found_by_pytest(path, config)
    names = parts[parts.index("numba_cuda") + 1 :]
    return importlib.import_module(".".join(n for n in names if n != "__init__") or "numba_cuda")


_pytest.python.importtestmodule = import_by_name


@pytest.fixture
def initialize_from_pytest_config(request):
    """What the package's tests ask for, from a conftest.py that its wheel does not have."""
    request.instance._dump_failed_filechecks = False
