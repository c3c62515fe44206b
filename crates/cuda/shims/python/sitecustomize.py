"""Changes Python packages of a program that `texunit run` starts, which puts the folder of this
file into PYTHONPATH. The sitecustomize that Python would have found without it is imported as
well."""

import os
import sys

_OFF = "TEXUNIT_POOLS_OFF"


def _without_pool(cupy):
    """Each array is an allocation of its own, so that an access past its end is found."""
    cupy.cuda.set_allocator(None)
    # The driver says so when memory is used.
    os.environ[_OFF] = ",".join(filter(None, [os.environ.get(_OFF), "cupy"]))


def _with_sources(driver):
    """Messages show the lines of Numba's kernels that have no file, as those of IPython."""
    linker = getattr(driver, "_Linker", None)
    complete = getattr(linker, "complete", None)

    def with_sources(self):
        made = complete(self)
        # texunit gives PTX in place of machine code.
        ptx = getattr(made, "code", None)
        sources = _sources(ptx) if isinstance(ptx, bytes) else b""
        return type(made).from_cubin(sources + ptx, name=made.name) if sources else made

    if complete is not None:
        linker.complete = with_sources


def _sources(ptx):
    """The sources that only `linecache` has, as comments (`texunit_syntax::handed_sources`)."""
    import linecache
    import re

    def escaped(text):
        text = text.rstrip("\r\n").replace("\\", r"\\")
        return re.sub(r"[^\t -~]", lambda c: f"\\u{{{ord(c[0]):x}}}", text)

    comments = ""
    for path in set(re.findall(rb'^\s*\.file\s+\d+\s+"(.*?)"', ptx, re.M)):
        path = path.decode(errors="replace")
        for name in {path, os.path.basename(path)}.intersection(linecache.cache):
            if not os.path.exists(path):
                comments += f"// texunit: source {escaped(name)}\n"
                comments += "".join(f"//|{escaped(line)}\n" for line in linecache.getlines(name))
    return comments.encode()


class _After:
    """Finds packages as others do, and changes them once they are loaded."""

    def __init__(self, changes):
        self.changes = changes

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        if change is None:
            return None
        import importlib.util

        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                change(module)

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


_changes = {"numba.cuda.cudadrv.driver": _with_sources}
if _OFF in os.environ:
    _changes["cupy"] = _without_pool
sys.meta_path.insert(0, _After(_changes))
_go_on()
