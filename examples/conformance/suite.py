"""Reads a suite of `texunit cases export`, of either format. docs/conformance.md describes what is in it."""

import json
from pathlib import Path

import numpy as np


def load(folder):
    """Each file of a suite: its document, in which all numbers are NumPy's arrays."""
    folder = Path(folder)
    index = json.loads((folder / "suite.json").read_text())
    if (index["suite"], index["version"]) != ("texunit-conformance", 2):
        raise ValueError(f"{folder} is not a suite that this reader knows: {index['suite']} {index['version']}")
    for entry in index["files"]:
        yield read(folder / entry["file"])


def read(path):
    """The document of one file."""
    if path.suffix == ".npz":
        arrays = np.load(path)
        document, number = json.loads(arrays["document"].tobytes()), lambda name: arrays[name]
        words = octets = number
    else:
        document = json.loads(path.read_text())
        octets = lambda digits: np.frombuffer(bytes.fromhex(digits), np.uint8)
        words = lambda columns: np.array(columns, np.uint32).reshape(len(columns), -1)
    for resource in document["resources"]:
        if resource["texels"] is not None:
            resource["texels"] = octets(resource["texels"])
    for case in document["cases"]:
        case["resource"] = document["resources"][case["resource"]]
        if case["kind"] == "surface":
            case["after"] = None if case["after"] is None else octets(case["after"])
            continue
        case["operands"] = {name: words(value) for name, value in case["operands"].items()}
        if case["expected"] and "values" in case["expected"]:
            case["expected"]["values"] = words(case["expected"]["values"])
        sampler = case["sampler"]
        for name in ("border", "min_level_clamp", "max_level_clamp", "level_bias"):
            sampler[name] = floats(sampler[name])
    return document


def floats(digits):
    """A float, or a list of them, from their bits as hexadecimal digits."""
    if isinstance(digits, list):
        return [floats(one) for one in digits]
    return np.array(int(digits, 16), np.uint32).view(np.float32)[()]


def compare(case, values):
    """The fetches of a case whose bits are not those that it expects: values has a column for each component."""
    expected = case["expected"]["values"]
    if not expected.size:
        return np.arange(0)
    found = np.ascontiguousarray(values).view(np.uint32).reshape(-1, expected.shape[1])[: len(expected)]
    return np.flatnonzero((found != expected).any(axis=0))
