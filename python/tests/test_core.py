"""The core, one library with the code of everything, and the files that jump into it."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import texunit
from conftest import run
from test_module import CORE

VERSION = f"TEXUNIT_{texunit.__version__}"
FOLDER = Path(texunit.path("libcuda.so.1")).parent

needs_nm = pytest.mark.skipif(shutil.which("nm") is None, reason="there is no nm")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def exported(file):
    said = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True).stdout
    return {line.split()[2] for line in said.splitlines()}


def driver_functions(repository):
    """Every function of the list, with the variants for default streams of threads."""
    names = set()
    for line in (repository / "crates/cuda/cuda/data/driver-api.txt").read_text().splitlines():
        if words := line.split("#")[0].split():
            names.add(words[0])
            if words[-2] != "-":
                names.add(f"{words[0]}_{words[-2]}")
    return names


def functions_for_c():
    header = Path(texunit.path("texunit.h")).read_text()
    return set(re.findall(r"\b(texunit_\w+)\(", header))


@needs_nm
def test_the_core_exports_versioned_names_alone():
    found = exported(FOLDER / CORE)
    assert len(found) > 600
    # The version itself is a symbol for some linkers.
    assert found - {VERSION, f"{VERSION}@@{VERSION}"} == {name for name in found if re.fullmatch(rf"texunit_\w+@@{VERSION}", name)}


@needs_nm
def test_the_driver_exports_its_list(repository):
    found = exported(FOLDER / "libcuda.so.1")
    own = {name for name in found if name.startswith("texunit_")}
    assert "texunit_driver" in own and len(own) < 10
    assert found - own == driver_functions(repository)


@needs_nm
def test_the_library_for_c_exports_its_header():
    assert exported(FOLDER / "libtexunit.so.1") == functions_for_c()


def test_every_function_is_found(repository):
    driver = ctypes.CDLL(texunit.path("libcuda.so.1"), mode=os.RTLD_LOCAL)
    library = ctypes.CDLL(texunit.path("libtexunit.so.1"), mode=os.RTLD_LOCAL)
    missing = [name for name in driver_functions(repository) if not hasattr(driver, name)]
    missing += [name for name in functions_for_c() if not hasattr(library, name)]
    assert missing == []


def test_module_and_driver_in_one_process():
    driver = ctypes.CDLL(texunit.path("libcuda.so.1"), mode=os.RTLD_LOCAL)
    count = ctypes.c_int()
    assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value == 1
    with open("/proc/self/maps") as maps:
        cores = {line.split()[-1] for line in maps if "libtexunit_core" in line}
    assert cores == {str(FOLDER / CORE)}


def test_driver_before_the_module():
    program = f"""if True:
        import ctypes, os
        driver = ctypes.CDLL({texunit.path("libcuda.so.1")!r}, mode=os.RTLD_LOCAL)
        assert driver.cuInit(0) == 0
        import texunit
        print(texunit.__version__)
    """
    ended = run(sys.executable, "-c", program)
    assert (ended.stdout, ended.stderr) == (f"{texunit.__version__}\n", "")


def test_copies_are_complete(tmp_path):
    """What install-libs copies runs from where it is, and so does a program of which everything was moved."""
    assert run("texunit", "install-libs", tmp_path / "a folder").returncode == 0
    program = f"import ctypes; print(ctypes.CDLL({str(tmp_path / 'a folder/libcuda.so.1')!r}).cuInit(0), open('/proc/self/maps').read())"
    said = run(sys.executable, "-c", program).stdout
    assert said.startswith("0 ") and f"/a folder/{CORE}\n" in said and str(FOLDER) not in said
    shutil.copytree(FOLDER.parent, tmp_path / "moved")
    ended = run(tmp_path / "moved/bin/texunit", "--version")
    assert (ended.stdout, ended.returncode) == (f"texunit {texunit.__version__}\n", 0)


@needs_cc
def test_a_process_without_python(tmp_path):
    source = tmp_path / "without.c"
    source.write_text(
        """
        #include <dlfcn.h>
        #include <stdio.h>
        int main(int count, char **words) {
            void *driver = dlopen(words[1], RTLD_NOW | RTLD_LOCAL), *core = dlopen(words[2], RTLD_NOW | RTLD_NOLOAD);
            if (count != 3 || !driver || !core) return puts(dlerror());
            int (*start)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
            int (*has)(void) = (int (*)(void))dlsym(core, "texunit_core_has_python");
            printf("%d %d\\n", start(0), has());
            return 0;
        }
        """
    )
    subprocess.run(["cc", source, "-o", tmp_path / "without", "-ldl"], check=True)
    assert run(tmp_path / "without", texunit.path("libcuda.so.1"), FOLDER / CORE).stdout == "0 0\n"


def test_the_program_keeps_what_rust_does_for_one():
    # Output that nobody reads is an error of the program, not its end by a signal.
    ended = run("sh", "-c", f"{texunit.path()} --help | true; {texunit.path()} --version >&- 2>&-; echo $?")
    assert ended.stdout.strip() in ("0", "2")
    assert run(texunit.path(), "launch", "--no-such-option").returncode == 2
    ended = run(texunit.path(), "run", "grep", "SigIgn", "/proc/self/status")
    assert int(ended.stdout.split()[1], 16) & 1 << 12 == 0
