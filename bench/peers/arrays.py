"""Array libraries: points are read from arrays, results written to arrays.

The argument before the options is the library: numba, opencv, scipy or torch. Where a library has no
wrap mode it clamps, which is no more work.
"""

import sys

import numpy as np

import common
from common import FETCHES, SCANS

NUMBERS = np.arange(FETCHES, dtype=np.uint32)


def check(name, got, texels, points, wrap=True):
    few = tuple(p[:4096] for p in points)
    common.demand(name, got[:4096], common.linear(texels, few, wrap), 0.02)


def numba(args):
    import numba as nb

    nb.set_num_threads(args.threads)
    report = common.Report(args, nb.__version__)

    @nb.njit(parallel=True, fastmath=True)
    def bilinear(texels, u, v, out, scale):
        channels = texels.shape[2]
        for i in nb.prange(u.shape[0]):
            x = u[i] * np.float32(1024) - np.float32(0.5)
            y = v[i] * np.float32(1024) - np.float32(0.5)
            left, top = np.floor(x), np.floor(y)
            a, b = x - left, y - top
            x0, y0 = int(left) & 1023, int(top) & 1023
            x1, y1 = (x0 + 1) & 1023, (y0 + 1) & 1023
            for c in range(channels):
                p00, p10 = np.float32(texels[y0, x0, c]), np.float32(texels[y0, x1, c])
                p01, p11 = np.float32(texels[y1, x0, c]), np.float32(texels[y1, x1, c])
                upper, lower = p00 + (p10 - p00) * a, p01 + (p11 - p01) * a
                out[i, c] = (upper + (lower - upper) * b) * scale

    for scan in SCANS:
        u, v = common.plane(scan, NUMBERS)
        for case, texels in (
            (f"a-wrap-{scan}", common.rgba8()),
            (f"b-{scan}", common.r32f()[..., None]),
            (f"c-{scan}", common.rgba32f()),
        ):
            if not report.wants(case):
                continue
            out = np.zeros((FETCHES, texels.shape[2]), np.float32)
            scale = np.float32(1 / 255 if texels.dtype == np.uint8 else 1)
            bilinear(texels, u, v, out, scale)
            check(case, out, texels, (u, v))
            report.measure(case, lambda: bilinear(texels, u, v, out, scale))


def opencv(args):
    import cv2

    cv2.setNumThreads(args.threads)
    report = common.Report(args, cv2.__version__)
    for scan in SCANS:
        points = common.plane(scan, NUMBERS)
        u, v = ((p * 1024 - np.float32(0.5)).reshape(2048, 2048) for p in points)
        for case, texels, how in (
            (f"a-wrap-{scan}", common.rgba8(), cv2.INTER_LINEAR),
            (f"b-{scan}", common.r32f(), cv2.INTER_LINEAR),
            (f"c-{scan}", common.rgba32f(), cv2.INTER_LINEAR),
            (f"g-{scan}", common.rgba8(), cv2.INTER_NEAREST),
        ):
            if report.wants(case):
                wrap = cv2.BORDER_WRAP
                report.measure(case, lambda: cv2.remap(texels, u, v, how, borderMode=wrap))


def scipy(args):
    import scipy
    from scipy.ndimage import map_coordinates

    if args.threads != 1:
        return
    report = common.Report(args, scipy.__version__)
    for scan in SCANS:
        for case, texels, points in (
            (f"b-{scan}", common.r32f(), common.plane(scan, NUMBERS)),
            (f"d-{scan}", common.volume(), common.space(scan, NUMBERS)),
        ):
            if not report.wants(case):
                continue
            places = np.stack([p * texels.shape[0] - 0.5 for p in reversed(points)])
            got = map_coordinates(texels, places[:, :4096], order=1, mode="grid-wrap")
            check(case, got[:, None], texels, points)
            report.measure(
                case, lambda: map_coordinates(texels, places, order=1, mode="grid-wrap")
            )


def torch(args):
    import torch as pt

    pt.set_num_threads(args.threads)
    report = common.Report(args, pt.__version__)

    def sample(texels, grid):
        with pt.no_grad():
            return pt.nn.functional.grid_sample(
                texels, grid, mode="bilinear", padding_mode="border", align_corners=False
            )

    for scan in SCANS:
        plane = common.plane(scan, NUMBERS, np.float32(1 / 2048))
        for case, texels, points in (
            (f"b-{scan}", common.r32f()[..., None], plane),
            (f"c-{scan}", common.rgba32f(), plane),
            (f"d-{scan}", common.volume()[..., None], common.space(scan, NUMBERS)),
        ):
            if not report.wants(case):
                continue
            axes = len(points)
            grid = pt.from_numpy((np.stack(points, 1) * 2 - 1).astype(np.float32))
            grid = grid.view(*([1] * (axes - 1)), 2048, 2048, axes)
            first = pt.from_numpy(np.ascontiguousarray(np.moveaxis(texels, -1, 0)[None]))
            got = sample(first, grid).reshape(texels.shape[-1], -1)[:, :4096].numpy().T
            check(case, got, texels, points, wrap=False)
            report.measure(case, lambda: sample(first, grid))


LIBRARIES = {"numba": numba, "opencv": opencv, "scipy": scipy, "torch": torch}

if len(sys.argv) < 2 or sys.argv[1] not in LIBRARIES:
    sys.exit(f"usage: arrays.py {'|'.join(LIBRARIES)} [OPTIONS]")
library = sys.argv.pop(1)
LIBRARIES[library](common.options(library))
