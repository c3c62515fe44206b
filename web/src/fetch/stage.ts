// The texture with the sample point that is dragged over it.

import { h, s } from "../dom";
import { f32 } from "../dom";
import type { FetchExplanation, Footprint, SurfaceExplanation, TextureInfo } from "../protocol";
import { CROSS, FACES, direction } from "./cube";
import type { Picture } from "./pictures";

/** How much of the texture's size is drawn around it. */
const AROUND = 0.25;
const SIZE = 640;

export interface Shown {
  texture: TextureInfo;
  /** Of a fetch. */
  explanation: FetchExplanation | null;
  /** Of a surface access. */
  surface?: SurfaceExplanation;
  /** Level 0; of cubes all faces. */
  pictures: (Picture | null)[];
  coords: number[];
  /** Whether coordinates are integers. */
  integers: boolean;
}

/** Where the point goes: x, y (and z of a direction), in the units of the coordinates. */
export type Move = (to: number[], done: boolean) => void;

export class Stage {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly over: SVGElement;
  private readonly handle: HTMLElement;
  private shown: Shown | null = null;
  private drawn = "";
  private dark = false;

  constructor(private readonly move: Move, fixed = false) {
    this.canvas = h("canvas", { width: SIZE, height: SIZE, "aria-hidden": "true" });
    this.over = s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "over", "aria-hidden": "true" });
    this.handle = h("button", {
      class: "handle",
      type: "button",
      "aria-label": "Sample point. Arrow keys move it by an eighth of a texel, with Shift by a whole one.",
    });
    this.element = h("div", { class: "stage" }, this.canvas, this.over as unknown as HTMLElement, fixed ? null : this.handle);
    if (fixed) return;
    const stage = this.element;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      stage.setPointerCapture(event.pointerId);
      this.handle.focus({ preventScroll: true });
      this.drag(event, false);
      event.preventDefault();
    });
    stage.addEventListener("pointermove", (event) => {
      if (stage.hasPointerCapture(event.pointerId)) this.drag(event, false);
    });
    stage.addEventListener("pointerup", (event) => this.drag(event, true));
    this.handle.addEventListener("keydown", (event) => this.key(event));
  }

  /** What is drawn, in texture units: left, top, width, height. */
  private view(): [number, number, number, number] {
    const shown = this.shown;
    if (!shown) return [0, 0, 1, 1];
    if (shown.texture.geometry.endsWith("cube")) return [0, 0, 4, 3];
    const rows = shown.texture.axes > 1;
    return [-AROUND, rows ? -AROUND : 0, 1 + 2 * AROUND, rows ? 1 + 2 * AROUND : 1];
  }

  /** The height of the picture over its width. */
  private shape(): number {
    const shown = this.shown;
    if (!shown) return 1;
    if (shown.texture.geometry.endsWith("cube")) return 3 / 4;
    if (shown.texture.axes === 1) return 0.28;
    const [width, height] = shown.texture.levels[0];
    return Math.min(1.4, Math.max(0.3, height / width));
  }

  private size(): [number, number] {
    return [SIZE, Math.round(SIZE * this.shape())];
  }

  /** From texture units to the picture. */
  private at(u: number, v: number): [number, number] {
    const [left, top, width, height] = this.view();
    const [w, hh] = this.size();
    return [((u - left) / width) * w, ((v - top) / height) * hh];
  }

  private drag(event: PointerEvent, done: boolean): void {
    const box = this.element.getBoundingClientRect();
    const [left, top, width, height] = this.view();
    const u = left + ((event.clientX - box.left) / box.width) * width;
    const v = top + ((event.clientY - box.top) / box.height) * height;
    this.go(u, v, done);
  }

  /** Moves the point to a place in texture units. */
  private go(u: number, v: number, done: boolean): void {
    const shown = this.shown;
    if (!shown) return;
    const { texture } = shown;
    if (texture.geometry.endsWith("cube")) {
      const column = Math.min(3, Math.max(0, Math.floor(u)));
      const row = Math.min(2, Math.max(0, Math.floor(v)));
      const face = CROSS.findIndex(([x, y]) => x === column && y === row);
      if (face < 0) return;
      const clamp = (t: number) => Math.min(0.999, Math.max(0.001, t));
      this.move(direction(face, clamp(u - column), clamp(v - row)).map((c) => round(c, 3)), done);
      return;
    }
    const [width, height] = texture.levels[0];
    const one = (t: number, n: number) => {
      if (shown.integers) return Math.floor(t * n);
      const digits = Math.min(7, 2 + Math.ceil(Math.log10(Math.max(n, 1))));
      return texture.normalized ? round(t, digits) : round(t * n, 2);
    };
    this.move(texture.axes > 1 ? [one(u, width), one(v, height)] : [one(u, width)], done);
  }

  private key(event: KeyboardEvent): void {
    const shown = this.shown;
    const ways: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const way = ways[event.key];
    if (!shown || !way) return;
    event.preventDefault();
    const { texture } = shown;
    if (texture.geometry.endsWith("cube")) {
      const step = event.shiftKey ? 0.125 : 0.03;
      const [u, v] = this.point();
      this.go(u + way[0] * step, v + way[1] * step, true);
      return;
    }
    const [width, height] = texture.levels[0];
    const texels = event.shiftKey || shown.integers ? 1 : 0.125;
    const [x = 0, y = 0] = shown.coords;
    const scale = (n: number) => (texture.normalized && !shown.integers ? texels / n : texels);
    const to = [x + way[0] * scale(width), y + way[1] * scale(height)].map((c) => round(c, 7));
    this.move(to.slice(0, Math.min(2, texture.axes)), true);
  }

  /** The point in texture units. */
  private point(): [number, number] {
    const shown = this.shown;
    if (!shown) return [0.5, 0.5];
    const { texture, coords, explanation } = shown;
    if (explanation?.cube) {
      const [x, y] = CROSS[explanation.cube.face];
      return [x + f32(explanation.cube.s), y + f32(explanation.cube.t)];
    }
    const [width, height] = texture.levels[0];
    const one = (c: number, n: number) => (shown.integers ? (c + 0.5) / n : texture.normalized ? c : c / n);
    return [one(coords[0] ?? 0, width), texture.axes > 1 ? one(coords[1] ?? 0, height) : 0.5];
  }

  show(shown: Shown, dark: boolean): void {
    this.shown = shown;
    this.dark = dark;
    const [width, height] = this.size();
    this.element.style.aspectRatio = `${width} / ${height}`;
    this.draw(width, height);
    this.over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.over.replaceChildren(...this.marks());
    const [u, v] = this.point();
    const [x, y] = this.at(u, v);
    const inside = x >= 0 && y >= 0 && x <= width && y <= height;
    this.handle.style.left = `${(Math.min(width, Math.max(0, x)) / width) * 100}%`;
    this.handle.style.top = `${(Math.min(height, Math.max(0, y)) / height) * 100}%`;
    this.handle.classList.toggle("away", !inside);
  }

  /** The texels, and what the address mode makes of the places around them; only if something has changed. */
  private draw(width: number, height: number): void {
    const shown = this.shown;
    if (!shown) return;
    const { texture, pictures, explanation } = shown;
    const ids = pictures.map((picture) => (picture ? picture.info.width + picture.data.byteOffset : 0));
    const what = JSON.stringify([width, height, this.dark, texture.describe, explanation?.sampler.address_mode, ids, texture.geometry]);
    const same = what === this.drawn && this.lastPictures.length === pictures.length && this.lastPictures.every((p, n) => p === pictures[n]);
    if (same) return;
    this.drawn = what;
    this.lastPictures = pictures;
    this.canvas.width = width;
    this.canvas.height = height;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.imageSmoothingEnabled = false;
    hatch(context, width, height, this.dark);
    if (texture.geometry.endsWith("cube")) this.cross(context);
    else if (pictures[0]) this.flat(context, pictures[0], explanation?.sampler.address_mode ?? null);
  }
  private lastPictures: (Picture | null)[] = [];

  private cross(context: CanvasRenderingContext2D): void {
    const shown = this.shown;
    if (!shown) return;
    const edge = SIZE / 4;
    CROSS.forEach(([x, y], face) => {
      const picture = shown.pictures[face];
      if (picture) context.drawImage(picture.canvas, x * edge, y * edge, edge, edge);
      context.strokeStyle = "rgba(128,128,128,0.9)";
      context.strokeRect(x * edge, y * edge, edge, edge);
    });
  }

  private flat(context: CanvasRenderingContext2D, picture: Picture, modes: string[] | null): void {
    const [x0, y0] = this.at(0, 0);
    const [x1, y1] = this.at(1, 1);
    const [w, hh] = [x1 - x0, y1 - y0];
    const { canvas } = picture;
    const rows = (this.shown?.texture.axes ?? 2) > 1;
    const mx = modes?.[0] ?? "none";
    const my = rows ? (modes?.[1] ?? "none") : "clamp";
    context.globalAlpha = 0.42;
    for (let j = rows ? -1 : 0; j <= (rows ? 1 : 0); j++) {
      for (let i = -1; i <= 1; i++) {
        if (i === 0 && j === 0) continue;
        const outside = (mode: string, n: number) => n !== 0 && (mode === "border" || mode === "none" || mode === "clamp_ogl");
        if (outside(mx, i) || outside(my, j)) continue;
        const flip = (mode: string, n: number) => (n !== 0 && mode === "mirror" ? -1 : 1);
        // Of clamp the texels of the edge are drawn as wide as the picture.
        const part = (mode: string, n: number, of: number): [number, number] =>
          n !== 0 && mode === "clamp" ? [n < 0 ? 0 : of - 1, 1] : [0, of];
        const [sx, sw] = part(mx, i, canvas.width);
        const [sy, sh] = part(my, j, canvas.height);
        context.save();
        context.translate(x0 + i * w + (flip(mx, i) < 0 ? w : 0), y0 + j * hh + (flip(my, j) < 0 ? hh : 0));
        context.scale(flip(mx, i), flip(my, j));
        context.drawImage(canvas, sx, sy, sw, sh, 0, 0, w, hh);
        context.restore();
      }
    }
    context.globalAlpha = 1;
    context.drawImage(canvas, x0, y0, w, hh);
    const [columns, lines] = picture.info.texels;
    const cell = w / columns;
    if (cell >= 9) {
      context.strokeStyle = "rgba(128,128,128,0.45)";
      context.lineWidth = 1;
      context.beginPath();
      for (let n = 1; n < columns; n++) {
        context.moveTo(Math.round(x0 + n * cell) + 0.5, y0);
        context.lineTo(Math.round(x0 + n * cell) + 0.5, y1);
      }
      for (let n = 1; n < (rows ? lines : 1); n++) {
        context.moveTo(x0, Math.round(y0 + (n * hh) / lines) + 0.5);
        context.lineTo(x1, Math.round(y0 + (n * hh) / lines) + 0.5);
      }
      context.stroke();
    }
    context.strokeStyle = this.dark ? "#fff" : "#111";
    context.lineWidth = 2;
    context.strokeRect(x0, y0, w, hh);
  }

  /** Footprints, taps, the ellipse of gradients. */
  private marks(): SVGElement[] {
    const shown = this.shown;
    if (!shown) return [];
    const marks: SVGElement[] = [];
    const { explanation } = shown;
    if (!explanation) return this.places();
    const several = explanation.footprints.some((f) => f.tap > 0);
    this.element.classList.toggle("with-taps", several);
    for (const footprint of explanation.footprints) {
      if (several) {
        marks.push(...this.tap(footprint));
      } else {
        marks.push(...this.cells(footprint));
      }
    }
    marks.unshift(...this.ellipse());
    return marks;
  }

  /** Where a surface access points, and where it goes: the same texels, unless .clamp moves it. */
  private places(): SVGElement[] {
    const { texture, surface } = this.shown ?? {};
    this.element.classList.remove("with-taps");
    if (!texture || !surface) return [];
    const [width, height] = texture.levels[0];
    const rows = texture.axes > 1;
    const bytes = texture.texel_size;
    const cell = (byte: number, row: number, name: string) => {
      const first = Math.floor(byte / bytes);
      const last = Math.max(first + 1, Math.ceil((byte + surface.size) / bytes));
      const [x, y] = this.at(first / width, rows ? row / height : 0);
      const [x1, y1] = this.at(last / width, rows ? (row + 1) / height : 1);
      return s("rect", { x, y, width: x1 - x, height: y1 - y, class: name });
    };
    const { place } = surface;
    const wanted = cell(surface.byte_x, surface.at[1] ?? 0, place?.moved || !place ? "cell moved" : "cell");
    return place?.moved ? [wanted, cell(place.x, place.y, "cell")] : [wanted];
  }

  private base(footprint: Footprint): [number, number] {
    if (!this.shown?.texture.geometry.endsWith("cube")) return [0, 0];
    return CROSS[footprint.plane % 6];
  }

  private cells(footprint: Footprint): SVGElement[] {
    const [width, height] = footprint.extent;
    const rows = (this.shown?.texture.axes ?? 2) > 1;
    const [bx, by] = this.base(footprint);
    return footprint.texels
      .filter((texel) => texel.corner[2] === 0)
      .map((texel) => {
        const [x, y] = this.at(bx + texel.index[0] / width, by + (rows ? texel.index[1] / height : 0));
        const [x1, y1] = this.at(bx + (texel.index[0] + 1) / width, by + (rows ? (texel.index[1] + 1) / height : 1));
        const away = texel.at && (texel.at.plane !== footprint.plane || texel.at.at[0] !== texel.index[0] || texel.at.at[1] !== texel.index[1]);
        return s("rect", { x, y, width: x1 - x, height: y1 - y, class: `cell${footprint.level > 0 ? " coarse" : ""}${away ? " moved" : ""}` });
      });
  }

  private tap(footprint: Footprint): SVGElement[] {
    const [width, height] = footprint.extent;
    const [ax, ay] = footprint.axes;
    const [bx, by] = this.base(footprint);
    if (!ax) return [];
    const [x, y] = this.at(bx + ax.texels / width, by + (ay ? ay.texels / height : 0.5));
    const radius = 3 + 7 * Math.sqrt(footprint.tap_weight / 1024);
    // Taps that lie close together are not numbered, but for the first and the last one.
    const taps = this.shown?.explanation?.footprints.filter((f) => f.level === footprint.level) ?? [];
    const next = taps[1]?.axes ?? [];
    const first = taps[0]?.axes ?? [];
    const apart = Math.hypot(((next[0]?.texels ?? 0) - (first[0]?.texels ?? 0)) / width, ((next[1]?.texels ?? 0) - (first[1]?.texels ?? 0)) / height);
    const circle = s("circle", { cx: x, cy: y, r: radius, class: "tap" });
    if (apart * SIZE < 20 && footprint.tap > 0 && footprint.tap < taps.length - 1) return [circle];
    return [
      circle,
      s("text", { x, y: y + 3.5, "text-anchor": "middle", class: "tap-number" }, String(footprint.tap)),
    ];
  }

  /** The ellipse of which the gradients are two radii: what a pixel covers of the texture. */
  private ellipse(): SVGElement[] {
    const shown = this.shown;
    const { dpdx, dpdy } = shown?.explanation?.operands ?? {};
    if (!shown || !dpdx || !dpdy || shown.texture.geometry.endsWith("cube") || shown.texture.axes < 2) return [];
    const [a, b] = [dpdx.map(f32), dpdy.map(f32)];
    const [width, height] = shown.texture.levels[0];
    const scale = shown.texture.normalized ? [1, 1] : [width, height];
    const [u, v] = this.point();
    let path = "";
    for (let n = 0; n <= 64; n++) {
      const t = (n / 64) * 2 * Math.PI;
      const [x, y] = this.at(
        u + (0.5 * (Math.cos(t) * a[0] + Math.sin(t) * b[0])) / scale[0],
        v + (0.5 * (Math.cos(t) * a[1] + Math.sin(t) * b[1])) / scale[1],
      );
      if (!Number.isFinite(x + y)) return [];
      path += `${n ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
    }
    const arrow = (g: number[], name: string) => {
      const [x0, y0] = this.at(u, v);
      const [x1, y1] = this.at(u + (0.5 * g[0]) / scale[0], v + (0.5 * g[1]) / scale[1]);
      return [s("line", { x1: x0, y1: y0, x2: x1, y2: y1, class: "radius" }), s("text", { x: x1 + 4, y: y1 - 4, class: "radius-name" }, name)];
    };
    return [s("path", { d: `${path}Z`, class: "ellipse" }), ...arrow(a, "dPdx/2"), ...arrow(b, "dPdy/2")];
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}

/** Lines that no texel has: what is outside. */
export function hatch(context: CanvasRenderingContext2D, width: number, height: number, dark: boolean): void {
  context.fillStyle = dark ? "#1b1e24" : "#eceff3";
  context.fillRect(0, 0, width, height);
  context.strokeStyle = dark ? "#343a45" : "#cfd5de";
  context.lineWidth = 1;
  context.beginPath();
  for (let x = -height; x < width; x += 9) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
}

export { FACES };
