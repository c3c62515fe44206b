"""Turns CuPy's memory pool off under `texunit run --check memory`: each array is an allocation of its own, so that an access
past its end is found. `texunit run` puts the folder of this file into PYTHONPATH; the sitecustomize that Python would have
found without it is imported as well."""

import os
import sys

_OFF = "TEXUNIT_POOLS_OFF"


class _AfterCuPy:
    """Finds the package `cupy` as others do, and has its allocator set once it is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != "cupy":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                module.cuda.set_allocator(None)
                # The driver says so when memory is used.
                os.environ[_OFF] = ",".join(filter(None, [os.environ.get(_OFF), "cupy"]))

            spec.loader.exec_module = exec_module
        return spec


def _go_on():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    own = sys.modules.pop(__name__)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault(__name__, own)


if _OFF in os.environ:
    sys.meta_path.insert(0, _AfterCuPy())
_go_on()
