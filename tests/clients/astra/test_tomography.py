"""ASTRA's projectors on the device, which read volumes and sinograms as textures, against those on the host and each other."""

import os
import subprocess
import sys

import astra
import numpy as np
import pytest

SIZE, DETECTORS = 32, 48
ANGLES = np.linspace(0, np.pi, 24, endpoint=False)
VOLUME = astra.create_vol_geom(SIZE, SIZE)
GEOMETRIES = {
    # Name: geometry, and the projector of the host that follows the same rule.
    "parallel": (astra.create_proj_geom("parallel", 1.0, DETECTORS, ANGLES), "linear"),
    "fanflat": (astra.create_proj_geom("fanflat", 1.0, DETECTORS, 2 * ANGLES, 100.0, 50.0), "line_fanflat"),
}


def phantom():
    image = np.zeros((SIZE, SIZE), np.float32)
    image[8:20, 10:24] = 1
    image[12:16, 12:16] = 2
    image[24:27, 5:9] = 0.5
    return image


def relative(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


@pytest.fixture(autouse=True)
def forget():
    yield
    astra.clear()


def device(geometry):
    return astra.create_projector("cuda", geometry, VOLUME)


@pytest.mark.parametrize("name, near", [("parallel", 1e-3), ("fanflat", 0.05)])
def test_projection_is_that_of_the_host(name, near):
    geometry, host = GEOMETRIES[name]
    _, ours = astra.create_sino(phantom(), device(geometry))
    _, theirs = astra.create_sino(phantom(), astra.create_projector(host, geometry, VOLUME))
    assert ours.max() > 10 and relative(ours, theirs) < near


@pytest.mark.parametrize("name", GEOMETRIES)
def test_backprojection_is_nearly_the_adjoint(name):
    geometry, _ = GEOMETRIES[name]
    image = phantom()
    sinogram = np.random.default_rng(1).random((len(ANGLES), DETECTORS), np.float32)
    _, forward = astra.create_sino(image, device(geometry))
    _, back = astra.create_backprojection(sinogram, device(geometry))
    assert np.sum(forward * sinogram) == pytest.approx(np.sum(image * back), rel=0.02)


@pytest.mark.parametrize("name", ["SIRT_CUDA", "CGLS_CUDA"])
def test_reconstruction_comes_near(name):
    geometry, _ = GEOMETRIES["parallel"]
    image = phantom()
    sinogram, _ = astra.create_sino(image, device(geometry))
    result = astra.data2d.create("-vol", VOLUME)
    options = astra.astra_dict(name)
    options.update(ReconstructionDataId=result, ProjectionDataId=sinogram)
    algorithm = astra.algorithm.create(options)
    astra.algorithm.run(algorithm, 5)
    first = relative(astra.data2d.get(result), image)
    astra.algorithm.run(algorithm, 45)
    second = relative(astra.data2d.get(result), image)
    assert second < first and second < 0.25


def test_a_volume_of_equal_slices_has_their_projections():
    geometry, _ = GEOMETRIES["parallel"]
    _, flat = astra.create_sino(phantom(), device(geometry))
    volume = astra.create_vol_geom(SIZE, SIZE, 4)
    # In three dimensions rows count upwards.
    data = np.repeat(phantom()[None, ::-1], 4, axis=0)
    deep = astra.create_proj_geom("parallel3d", 1.0, 1.0, 4, DETECTORS, ANGLES)
    _, projected = astra.create_sino3d_gpu(data, deep, volume)
    assert projected.shape == (4, len(ANGLES), DETECTORS)
    for row in projected:
        assert relative(row, flat) < 0.02


def test_cone_beam_reconstruction_comes_near():
    volume = astra.create_vol_geom(SIZE, SIZE, 8)
    data = np.repeat(phantom()[None], 8, axis=0)
    cone = astra.create_proj_geom("cone", 1.5, 1.5, 16, DETECTORS, 2 * ANGLES, 100.0, 50.0)
    sinogram, _ = astra.create_sino3d_gpu(data, cone, volume)
    result = astra.data3d.create("-vol", volume)
    options = astra.astra_dict("SIRT3D_CUDA")
    options.update(ReconstructionDataId=result, ProjectionDataId=sinogram)
    algorithm = astra.algorithm.create(options)
    astra.algorithm.run(algorithm, 40)
    assert relative(astra.data3d.get(result)[2:6], data[2:6]) < 0.3


ONE = """
import astra, numpy as np, sys
volume = astra.create_vol_geom(32, 32)
geometry = astra.create_proj_geom("parallel", 1.0, 48, np.linspace(0, np.pi, 24, endpoint=False))
sinogram, _ = astra.create_sino(np.ones((32, 32), np.float32), astra.create_projector("cuda", geometry, volume))
result = astra.data2d.create("-vol", volume)
options = astra.astra_dict(sys.argv[1])
options.update(ReconstructionDataId=result, ProjectionDataId=sinogram)
try:
    astra.algorithm.run(astra.algorithm.create(options))
except Exception as error:
    print(error)
"""


def reconstructed(name, sinogram, projector=None, iterations=1, volume=VOLUME, data=astra.data2d, **words):
    result = data.create("-vol", volume)
    options = astra.astra_dict(name)
    options.update(ReconstructionDataId=result, ProjectionDataId=sinogram)
    if projector is not None:
        options["ProjectorId"] = projector
    if words:
        options["option"] = words
    astra.algorithm.run(astra.algorithm.create(options), iterations)
    return data.get(result)


@pytest.mark.parametrize("name", ["ram-lak", "shepp-logan", "hann", "none"])
def test_filtered_backprojection_is_that_of_the_host(name):
    """It filters with cuFFT: texunit's."""
    geometry, _ = GEOMETRIES["parallel"]
    host = astra.create_projector("linear", geometry, VOLUME)
    sinogram, _ = astra.create_sino(phantom(), host)
    theirs = reconstructed("FBP", sinogram, host, FilterType=name)
    ours = reconstructed("FBP_CUDA", sinogram, FilterType=name)
    # Their projectors weight rays in another way: without a filter they differ by 0.02.
    assert relative(ours, theirs) < 0.05
    if name != "none":
        assert relative(ours, phantom()) == pytest.approx(relative(theirs, phantom()), rel=0.05)


@pytest.mark.parametrize("name", ["SIRT", "CGLS"])
def test_iterations_are_those_of_the_host(name):
    geometry, _ = GEOMETRIES["parallel"]
    host = astra.create_projector("linear", geometry, VOLUME)
    sinogram, _ = astra.create_sino(phantom(), host)
    theirs = reconstructed(name, sinogram, host, 20)
    ours = reconstructed(f"{name}_CUDA", sinogram, None, 20)
    assert relative(ours, theirs) < 0.04


def test_filtered_cone_beams_come_near():
    """FDK, which filters with cuFFT, of a circle around a small cone."""
    volume = astra.create_vol_geom(SIZE, SIZE, 8)
    data = np.repeat(phantom()[None], 8, axis=0)
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    cone = astra.create_proj_geom("cone", 1.0, 1.0, 12, 64, angles, 1000.0, 50.0)
    sinogram, _ = astra.create_sino3d_gpu(data, cone, volume)
    result = reconstructed("FDK_CUDA", sinogram, volume=volume, data=astra.data3d)
    assert relative(result[2:6], data[2:6]) < 0.3


def test_the_race_of_sart_is_found():
    """All rows of a CTA multiply the same elements of a sinogram of one row in place: how often each is, is up to the order."""
    environment = os.environ | {"TEXUNIT_CHECK": "race"}
    ended = subprocess.run([sys.executable, "-c", ONE, "SART_CUDA"], env=environment, capture_output=True, text=True)
    assert "race-write-after-write" in ended.stderr and "devMUL_SART(" in ended.stderr, ended.stderr
