"""The libraries that the page compares with: which settings correspond, and both results at the same points.

Points are given in texels: texel k reaches from k to k + 1, and its centre is at k + 1/2. Each library has coordinates of its
own, which `Row.theirs` makes of them. Sizes are powers of two, so that no coordinate is rounded by its own library.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np

WIDTH, HEIGHT = 64, 32


@dataclass(frozen=True)
class Row:
    """A setting of a library, and what comes nearest to it."""

    library: str
    setting: str
    keywords: dict | None  # of texunit.Texture; None: no texture does that
    words: str  # these, for the page
    theirs: Callable  # (texels, u, v) -> results
    texels: str = "f32"
    ours: Callable | None = None  # (u, v) -> coordinates of the texture, if they are not those points

    def results(self, u, v):
        """Theirs and ours."""
        data = picture(self.texels)
        return self.theirs(data, u, v), self.sampled(data, u, v)

    def sampled(self, data, u, v):
        import texunit

        keywords = dict(self.keywords or {"address": "mirror"})
        keywords.setdefault("filter", "linear")
        if data.dtype == np.uint8:
            keywords["read"] = "normalized"
        tex = texunit.Texture(data, normalized_coords=True, **keywords)
        u, v = (u, v) if self.ours is None else self.ours(u, v)
        return tex.sample((f32(u / WIDTH), f32(v / HEIGHT)))


def f32(numbers):
    return np.asarray(numbers, np.float32)


def picture(kind):
    """Texels that are noise: 256 steps from 0 to 1, so that both kinds hold the same numbers."""
    codes = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    return codes if kind == "u8" else f32(codes / 255)


# torch.nn.functional.grid_sample


def grid_sample(**options):
    def sample(data, u, v):
        import torch

        torch.set_num_threads(1)
        if options["align_corners"]:
            grid = np.stack([2 * (u - 0.5) / (WIDTH - 1) - 1, 2 * (v - 0.5) / (HEIGHT - 1) - 1], -1)
        else:
            grid = np.stack([2 * u / WIDTH - 1, 2 * v / HEIGHT - 1], -1)
        found = torch.nn.functional.grid_sample(
            torch.from_numpy(data)[None, None], torch.from_numpy(f32(grid))[None, None], **options
        )
        return found.numpy().reshape(-1)

    return sample


def aligned(u, v):
    """What a texture reads at `u / WIDTH` of a grid that was made for align_corners=True."""
    return (u - 0.5) * WIDTH / (WIDTH - 1), (v - 0.5) * HEIGHT / (HEIGHT - 1)


def torch_rows():
    def row(setting, keywords, words, ours=None, **options):
        return Row("grid_sample", setting, keywords, words, grid_sample(**options), ours=ours)

    plain, corners = {"align_corners": False}, {"align_corners": True}
    return [
        row("`border`, `align_corners=False`", {"address": "clamp"}, "`clamp`, at `(g + 1) / 2`", padding_mode="border", **plain),
        row("`border`, `align_corners=True`", {"address": "clamp"}, "`clamp`, at `((g + 1) / 2 * (n - 1) + 1/2) / n`", padding_mode="border", **corners),
        row("`border`, `align_corners=True`, by mistake", {"address": "clamp"}, "`clamp`, at `(g + 1) / 2`", aligned, padding_mode="border", **corners),
        row("`zeros`", {"address": "border"}, "`border`, its colour left out", padding_mode="zeros", **plain),
        row("`reflection`, `align_corners=False`", {"address": "mirror"}, "`mirror`", padding_mode="reflection", **plain),
        row("`reflection`, `align_corners=True`", None, "none: it turns round at centres of texels", padding_mode="reflection", **corners),
        row("`nearest`, `border`", {"address": "clamp", "filter": "point"}, "`point`, `clamp`", mode="nearest", padding_mode="border", **plain),
    ]  # fmt: skip


# cv2.remap


def remap(border, flags="INTER_LINEAR"):
    def sample(data, u, v):
        import cv2

        cv2.setNumThreads(1)
        x, y = (f32(axis - 0.5).reshape(-1, 100) for axis in (u, v))
        found = cv2.remap(data, x, y, getattr(cv2, flags), borderMode=getattr(cv2, border)).reshape(-1)
        return f32(found / 255) if data.dtype == np.uint8 else found

    return sample


def cv2_rows():
    def row(setting, border, keywords, words, flags="INTER_LINEAR", **more):
        return Row("cv2.remap", setting, keywords, words, remap(border, flags), **more)

    return [
        row("`INTER_LINEAR`, `BORDER_REPLICATE`, float32", "BORDER_REPLICATE", {"address": "clamp"}, "`clamp`, at x + 1/2"),
        row("the same, uint8", "BORDER_REPLICATE", {"address": "clamp"}, "`clamp`, `read=\"normalized\"`, times 255", texels="u8"),
        row("the same, float32, by mistake", "BORDER_REPLICATE", {"address": "clamp"}, "`clamp`, at x", ours=lambda u, v: (u - 0.5, v - 0.5)),
        row("`BORDER_WRAP`", "BORDER_WRAP", {"address": "wrap"}, "`wrap`"),
        row("`BORDER_REFLECT`", "BORDER_REFLECT", {"address": "mirror"}, "`mirror`"),
        row("`BORDER_REFLECT_101`", "BORDER_REFLECT_101", None, "none: it turns round at centres of texels"),
        row("`BORDER_CONSTANT`", "BORDER_CONSTANT", {"address": "border"}, "`border`"),
        row("`INTER_NEAREST`", "BORDER_REPLICATE", {"address": "clamp", "filter": "point"}, "`point`, `clamp`", "INTER_NEAREST"),
    ]  # fmt: skip


# scipy.ndimage.map_coordinates


def map_coordinates(mode, order=1):
    def sample(data, u, v):
        from scipy import ndimage

        return ndimage.map_coordinates(data, [v - 0.5, u - 0.5], order=order, mode=mode)

    return sample


def scipy_rows():
    def row(mode, keywords, words, order=1):
        setting = f'`order={order}`, `"{mode}"`'
        return Row("map_coordinates", setting, keywords, words, map_coordinates(mode, order))

    return [
        row("nearest", {"address": "clamp"}, "`clamp`, at x + 1/2"),
        row("grid-wrap", {"address": "wrap"}, "`wrap`"),
        row("wrap", None, "none: its period is n - 1 texels"),
        row("reflect", {"address": "mirror"}, "`mirror`"),
        row("mirror", None, "none: it turns round at centres of texels"),
        row("grid-constant", {"address": "border"}, "`border`"),
        row("constant", None, "none: there is nothing between the last centre and the border"),
        row("nearest", {"address": "clamp", "filter": "point"}, "`point`, `clamp`", order=0),
    ]


# Dr.Jit, on its LLVM backend


def drjit_texture(wrap, filter_mode="Linear"):
    def sample(data, u, v):
        import drjit as dr
        from drjit.llvm import Array2f, Float, TensorXf, Texture2f

        modes = {"filter_mode": getattr(dr.FilterMode, filter_mode), "wrap_mode": getattr(dr.WrapMode, wrap)}
        texture = Texture2f(TensorXf(data[..., None]), **modes)
        (found,) = texture.eval(Array2f(Float(f32(u / WIDTH)), Float(f32(v / HEIGHT))))
        return np.array(found)

    return sample


def drjit_rows():
    def row(wrap, keywords, words, filter_mode="Linear"):
        setting = f"`{filter_mode}`, `{wrap}`"
        return Row("Dr.Jit", setting, keywords, words, drjit_texture(wrap, filter_mode))

    return [
        row("Clamp", {"address": "clamp"}, "`clamp`"),
        row("Repeat", {"address": "wrap"}, "`wrap`"),
        row("Mirror", {"address": "mirror"}, "`mirror`"),
        row("Clamp", {"address": "clamp", "filter": "point"}, "`point`, `clamp`", "Nearest"),
    ]


LIBRARIES = {"torch": torch_rows, "cv2": cv2_rows, "scipy": scipy_rows, "drjit": drjit_rows}
