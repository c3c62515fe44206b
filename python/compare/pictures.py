"""The pictures of the page, drawn from what the module and the libraries give."""

import numpy as np

INK, PALE = "#24292f", "#d0d7de"
COLOURS = ("#0969da", "#cf222e", "#1a7f37", "#9a6700")


class Picture:
    """Lines of an SVG, in a frame of so many units."""

    def __init__(self, width, height, title):
        self.size = width, height
        self.parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def line(self, points, colour=INK, width=1.5, dashes=None):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}/>')

    def box(self, x, y, width, height, fill):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{INK}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')

    def words(self, x, y, text, colour=INK, anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>')

    def text(self):
        width, height = self.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        head += 'font-family="sans-serif" font-size="12">'
        return "\n".join([head, *self.parts, "</svg>", ""])


def weights():
    """Between a texel of 0 and one of 1, near the first: each step of the texture is 1/256."""
    import texunit

    picture = Picture(640, 300, "results between two texels, 0 and 1, over the first 1/32 of the way")
    texels, end, count = np.array([[0, 1]], np.float32), 1 / 32, 257
    share = np.linspace(0, end, count)
    tex = texunit.Texture(texels, filter="linear", address="clamp")
    found = tex.sample((np.float32(share + 0.5), np.float32(0.5)))
    left, bottom, wide, high = 60, 260, 560, 230

    def place(shares, results):
        return zip(left + wide * shares / end, bottom - high * np.asarray(results) / end, strict=True)

    for step in range(9):
        y = bottom - high * step / 8
        picture.line([(left, y), (left + wide, y)], PALE, 1)
        picture.words(left - 8, y + 4, f"{step}/256", anchor="end")
    picture.line(place(share, share), INK, 1, "4 3")
    picture.line(place(share, found), COLOURS[0], 2)
    picture.words(left + 12, 30, "texunit, and a GPU: weights in steps of 1/256", COLOURS[0])
    picture.words(left + 12, 48, "exact filtering, as of the libraries (dashed)")
    picture.words(left, bottom + 20, "0")
    picture.words(left + wide, bottom + 20, "1/32 of a texel", anchor="end")
    return picture.text()


def borders():
    """Past both ends of eight texels: the address modes, and what libraries have beside them."""
    import texunit
    from scipy import ndimage

    texels = np.array([[0.2, 0.6, 0.3, 0.9, 0.5, 0.7, 0.1, 1.0]], np.float32)
    size, at = texels.shape[1], np.linspace(-6, 14, 161)

    def texture(address):
        tex = texunit.Texture(texels, filter="linear", address=address, normalized_coords=True)
        return tex.sample((np.float32(at / size), np.float32(0.5)))

    def scipy(mode):
        return ndimage.map_coordinates(texels[0], [at - 0.5], order=1, mode=mode)

    rows = [
        ("clamp", texture("clamp"), COLOURS[0]),
        ("wrap", texture("wrap"), COLOURS[0]),
        ("mirror", texture("mirror"), COLOURS[0]),
        ("border", texture(("border", "clamp")), COLOURS[0]),
        ("no texture: &quot;mirror&quot; of SciPy, REFLECT_101, reflection with align_corners=True", scipy("mirror"), COLOURS[1]),
        ("no texture: &quot;wrap&quot; of SciPy", scipy("wrap"), COLOURS[1]),
        ("no texture: &quot;constant&quot; of SciPy", scipy("constant"), COLOURS[1]),
    ]
    picture = Picture(640, 70 * len(rows) + 20, "eight texels and what is read beyond them")
    left, unit = 20, 30
    start, end = left + 6 * unit, left + 14 * unit
    for number, (name, results, colour) in enumerate(rows):
        bottom = 70 * number + 74
        for edge in (start, end):
            picture.line([(edge, bottom - 50), (edge, bottom)], PALE, 1)
        picture.line([(left, bottom), (left + 20 * unit, bottom)], PALE, 1)
        picture.line(zip(left + unit * (at + 6), bottom - 44 * results, strict=True), colour, 1.5)
        picture.words(left, bottom - 52, name, colour)
    return picture.text()


def corners():
    """Where -1 and 1 of grid_sample lie on four texels."""
    picture = Picture(640, 190, "where -1 and 1 of grid_sample lie on four texels")
    left, unit, top = 120, 100, 60
    for texel in range(4):
        picture.box(left + unit * texel, top, unit, 50, "#eaeef2")
        picture.dot(left + unit * (texel + 0.5), top + 25, INK)
        picture.words(left + unit * (texel + 0.5), top + 44, f"texel {texel}", anchor="middle")
    for number, (aligned, inset) in enumerate(((False, 0.0), (True, 0.5))):
        colour, y = COLOURS[number], (top - 16, top + 78)[number]
        ends = left + unit * inset, left + unit * (4 - inset)
        picture.line([(ends[0], y), (ends[1], y)], colour, 1.5)
        for g, x in zip((-1, 0, 1), (ends[0], sum(ends) / 2, ends[1]), strict=True):
            picture.line([(x, y - 6), (x, y + 6)], colour, 1.5)
            picture.words(x, y - 10 if number == 0 else y + 20, str(g), colour, "middle")
        picture.words(left + unit * 2, y - 28 if number == 0 else y + 40, f"align_corners={aligned}", colour, "middle")
    return picture.text()


def all_of_them():
    return {"weights.svg": weights(), "borders.svg": borders(), "corners.svg": corners()}
