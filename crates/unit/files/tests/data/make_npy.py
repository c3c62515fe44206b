#!/usr/bin/env python3
"""Makes the NPY files of this folder: by NumPy, whose form of file it is."""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
FLOATS = np.arange(1, 7, dtype="<f4").reshape(2, 3)

# What is read: both orders of elements, both orders of bytes.
np.save(HERE / "f4.npy", FLOATS)
np.save(HERE / "f4-fortran.npy", np.asfortranarray(FLOATS))
np.save(HERE / "f4-big.npy", FLOATS.astype(">f4"))
np.save(HERE / "u2-fortran.npy", np.arange(16, dtype="<u2").reshape((2, 2, 2, 2), order="F"))
np.save(HERE / "f2-big.npy", np.array([1, -2], dtype=">f2"))

# What is written.
for shape in [(2, 3, 4), (1, 2, 3), (6,), (6, 2)]:
    name = "written-" + "x".join(map(str, shape)) + ".npy"
    np.save(HERE / name, np.arange(np.prod(shape), dtype="<f4").reshape(shape))
