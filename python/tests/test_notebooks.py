"""The notebooks run from beginning to end (`.ci/full python`)."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

from texunit import _nvrtc  # noqa: E402

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
# What some output of each has to have.
SAYS = {
    "first-steps": ["weight", "no texture has"],
    "gpu-and-numpy": ["257"],
    "kernel": ["out-of-bounds in CTA", "race-", "error[E"],
}


def test_all_are_here():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == SAYS.keys()


@pytest.mark.parametrize("name", SAYS)
def test_runs(name, tmp_path):
    pytest.importorskip("matplotlib")
    if name == "kernel":
        try:
            _nvrtc._library()
        except ImportError as why:
            pytest.skip(str(why))
    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "outputs are not kept: clear them"
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    texts, pictures = [], 0
    for cell in book.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", output["text"]
            texts.append(str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", "")))
            pictures += bool({"image/png", "image/svg+xml", "text/html"} & output.get("data", {}).keys())
    assert pictures >= 1
    for words in SAYS[name]:
        assert any(words in text for text in texts), (words, texts)
