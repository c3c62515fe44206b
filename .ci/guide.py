"""Runs the commands and the code of the guide where there is only texunit's wheel: `.ci/wheel` starts it.

    guide.py PAGES PACKAGES

PAGES has the pages, PACKAGES the wheel and the archive, under the names that the pages have for them. The working folder is
empty. Blocks of `console` print what is below their commands; each line of a block of `sh`, each statement of one of `python`
succeeds, and `# prints X` says what it prints. Whatever needs nvcc, a card, or a package of somebody else is skipped, and said.
"""

import ast
import collections
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCK = re.compile(r"^(?:<!--\s*(?P<remark>.*?)\s*-->\n)?```(?P<language>\w+).*\n(?P<code>(?:.*\n)*?)```$", re.M)
# What a line needs, if it is not texunit alone; the first that fits. A line of which a program is there is run.
NEEDS = [
    (r"\bcargo\b|\brustup\b|\bnpm\b|editors/vscode|\bcode --|target/release|tests/fetch/rules\.py", "a clone of the repository", None),
    (r"cases export|cases run tests|\bsuite\b", "the cases of a clone of the repository", None),
    (r"texunit bench|\bbench/", "minutes, or a clone of the repository", None),
    (r"texunit compare", "a card", None),
    (r"\bnvcc\b", "nvcc", None),
    (r"\bctest\b|\bcmake\b", "a project that nvcc builds", None),
    (r"^pip install (?!texunit)|DEV=CUDA|get_path\(", "a package from PyPI", None),
    (r"\bmojo\b|-foffload|apt-get", "another compiler", None),
    (r"FOLDER \[", "nothing: it shows what the options are", None),
    (r"\bgenhtml\b", "lcov", lambda: shutil.which("genhtml")),
    (r"\bpkg-config\b", "pkg-config and a C compiler", lambda: shutil.which("pkg-config") and shutil.which("cc")),
    (r"^cc ", "a C compiler", lambda: shutil.which("cc")),
    (r"\bpytest\b", "pytest", lambda: importlib.util.find_spec("pytest")),
]
# What a statement of Python needs.
MODULES = [("texunit.compile", "nvidia.cuda_nvrtc"), ("texunit.plot", "matplotlib"), ("cupy", "cupy")]

counts = collections.Counter()
failures = []


def skipped(page, code, need):
    counts["skipped"] += 1
    print(f"SKIPPED: {page}: `{code.strip()}` needs {need}")


def failed(page, code, why):
    failures.append(page)
    print(f"FAILED: {page}: `{code.strip()}`: {why}")


def judge(page, code, why):
    """Counts what has been run; why it failed, if it did."""
    counts["run"] += 1
    if why:
        failed(page, code, why)


def commands(code, prompt):
    """The commands of a block, without the prompt, and what stands below each."""
    found, open_line = [], False
    for line in code.splitlines():
        if open_line:
            found[-1][0] += "\n" + line
        elif line.startswith(prompt) and (prompt or line.strip()):
            found.append([line.removeprefix(prompt), []])
        elif found:
            found[-1][1].append(line)
            continue
        open_line = bool(found) and found[-1][0].endswith("\\")
    return found


def shell(script, folder, environment):
    """How a command ends, and what it prints, errors included."""
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
    )  # fmt: skip
    return done.returncode, done.stdout


def fits(expected, found):
    """`...` at the end of a line stands for whatever is there."""
    expected, found = "\n".join(expected).rstrip().splitlines(), found.rstrip().splitlines()
    same = lambda a, b: b.startswith(a[:-3]) if a.endswith("...") else a == b
    return len(expected) == len(found) and all(map(same, expected, found))


def console(page, block, examples, folders, environment):
    """Commands with what they print, in a copy of the folder that the page names."""
    remark = block["remark"] or ""
    name = remark.removeprefix("folder: ") if remark.startswith("folder: ") else str(Path(page).parent)
    folder = folders / name.replace("/", "-")
    if not folder.exists():
        if (examples / name).is_dir():
            shutil.copytree(examples / name, folder)
        else:
            folder.mkdir(parents=True)
    for command, expected in commands(block["code"], "$ "):
        code, printed = shell(f"{{ {command}\n}} 2>&1", folder, environment)
        right = code == 0 and fits(expected, printed)
        judge(page, command, None if right else f"ends with {code} and prints\n{printed}")


def lines(page, block, folder, environment):
    """The lines of a block of a shell; what one exports, the next has."""
    for command, _ in commands(block["code"], ""):
        if command.startswith("#"):
            continue
        need = next((need for fit, need, there in NEEDS if re.search(fit, command) and not (there and there())), None)
        if need:
            skipped(page, command, need)
            continue
        script = command.replace("/opt/", f"{environment['HOME']}/opt/")
        if "TEXUNIT_NVCC=13.5" in script:
            skipped(page, "TEXUNIT_NVCC=13.5", "packages from PyPI: `none` stands for it")
            script = script.replace("TEXUNIT_NVCC=13.5", "TEXUNIT_NVCC=none")
        code, printed = shell(f"set -a\n{script}\nended=$?; env -0 >.environment; exit $ended", folder, environment)
        right = re.search(r"# (?:fails|exit code 1 if)", command) and code == 1 or code == 0
        wanted = re.search(r"# prints (.*)", command)
        if wanted and printed.split() != wanted[1].split():
            right = False
        judge(page, command, None if right else f"ends with {code} and prints\n{printed}")
        if (folder / ".environment").exists():
            pairs = (folder / ".environment").read_text().split("\0")
            kept = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
            environment = {name: value for name, value in kept.items() if name not in ("_", "SHLVL", "PWD", "OLDPWD")}
    return environment


def statements(page, block, folder, environment):
    """The statements of a block of Python, after `guide_names.py` has given them what the page takes for granted."""
    if not importlib.util.find_spec("numpy"):
        return skipped(page, block["code"].splitlines()[0], "NumPy")
    kept = []
    for statement in ast.parse(block["code"]).body:
        text = ast.get_source_segment(block["code"], statement)
        need = next((module for word, module in MODULES if word in text and not there(module)), None)
        if need:
            skipped(page, text, need)
        else:
            kept.append(text)
    if kept:
        script = folder / "block.py"
        script.write_text("from guide_names import *\n" + "\n".join(kept) + "\n")
        environment = {**environment, "PYTHONPATH": str(HERE)}
        code, printed = shell("python3 block.py", folder, environment)
        wanted = re.findall(r"# prints ([^\s,;]+)", block["code"])
        right = code == 0 and all(value in printed.split() for value in wanted)
        judge(page, "\n".join(kept), None if right else f"prints\n{printed}")


def there(module):
    """Whether a module can be imported, also one in a package that is not there."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def fill(folder, page, text, examples, packages):
    """The files that a page's lines take for granted: a program, a job, PTX, the packages."""
    for name in ("action", "docs", "examples"):
        shutil.copytree(examples / name, folder / name)
    for name in ("program", "script.py", "unit_tests", "test-a", "test-b", "tests"):
        program = (HERE / "guide_program.py").read_text()
        if "fails in the same way" in text:
            program = program.replace("FAULTS = False", "FAULTS = True")
        (folder / name).write_text(program)
        (folder / name).chmod(0o755)
    rotate = examples / "examples/rotate"
    shutil.copy(rotate / "tiles.png", folder)
    for name in ("rotate.ptx", "kernel.ptx", "k.ptx", "a.ptx", "b.ptx"):
        shutil.copy(rotate / "rotate.ptx", folder / name)
    # In as many CTAs as the pages divide.
    job = (rotate / "job.toml").read_text().replace("grid = [16, 16]", "grid = [32, 32]")
    (folder / "job.toml").write_text(job.replace("block = [16, 16]", "block = [8, 8]"))
    shutil.copy(HERE / "my.toml", folder)
    for package in packages.iterdir():
        shutil.copy(package, folder)
    for block in BLOCK.finditer(text):
        if block["language"] in ("c", "cpp"):
            (folder / f"program.{block['language']}").write_text(block["code"])


def main():
    pages, packages = (Path(argument).resolve() for argument in sys.argv[1:])
    here, environment = Path.cwd(), dict(os.environ)
    examples = here / "guide"
    subprocess.run(["texunit", "examples", examples], check=True)
    for number, path in enumerate(sorted(pages.rglob("*.md"))):
        page, text = str(path.relative_to(pages)), path.read_text()
        folder, now = here / f"page-{number}", environment
        folder.mkdir()
        fill(folder, page, text, examples, packages)
        for block in BLOCK.finditer(text):
            if block["language"] == "console":
                console(page, block, examples, here / f"console-{number}", environment)
            elif block["language"] == "sh":
                now = lines(page, block, folder, now)
            elif block["language"] == "python":
                statements(page, block, folder, environment)
        shutil.rmtree(folder)
    print(f"{counts['run']} commands and pieces of code were run, {counts['skipped']} skipped, {len(failures)} fail")
    # Fewer would say that the pages are not read as they are written.
    sys.exit(1 if failures or counts["run"] < 100 else 0)


if __name__ == "__main__":
    main()
