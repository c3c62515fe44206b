// The direction of a cube fetch on a sphere.

import { s } from "../dom";
import { FACES, direction, seen, unit, unseen } from "./cube";

const R = 92;
const C = 110;

/** A line on the sphere: the half of it that the eye sees, and the other. */
function lines(points: [number, number, number][], front: boolean): string {
  let path = "";
  let drawing = false;
  for (const point of points) {
    const [x, y, z] = seen(unit(point));
    if (z >= 0 === front) {
      path += `${drawing ? "L" : "M"}${(C + R * x).toFixed(1)} ${(C - R * y).toFixed(1)}`;
      drawing = true;
    } else {
      drawing = false;
    }
  }
  return path;
}

/** The edges of the faces. */
function edges(front: boolean): string {
  let path = "";
  const steps = Array.from({ length: 25 }, (_, n) => -1 + n / 12);
  for (const a of [-1, 1]) {
    for (const b of [-1, 1]) {
      path += lines(steps.map((t) => [t, a, b]), front);
      path += lines(steps.map((t) => [a, t, b]), front);
      path += lines(steps.map((t) => [a, b, t]), front);
    }
  }
  return path;
}

export class Globe {
  readonly element: SVGElement;
  private readonly mark: SVGElement;
  private readonly ray: SVGElement;
  private readonly faces: SVGElement[] = [];

  constructor(moved: (to: [number, number, number]) => void) {
    const labels = FACES.map((name, face) => {
      const [x, y, z] = seen(unit(direction(face, 0.5, 0.5)));
      const label = s("text", { x: C + R * x, y: C - R * y + 4, "text-anchor": "middle", class: z >= 0 ? "face" : "face back" }, name);
      this.faces.push(label);
      return label;
    });
    this.ray = s("line", { x1: C, y1: C, x2: C, y2: C, class: "ray" });
    this.mark = s("circle", { cx: C, cy: C, r: 6, class: "mark" });
    this.element = s(
      "svg",
      { viewBox: `0 0 ${2 * C} ${2 * C}`, class: "globe", role: "img", "aria-label": "The direction on a sphere" },
      s("circle", { cx: C, cy: C, r: R, class: "ball" }),
      s("path", { d: edges(false), class: "edge back" }),
      s("path", { d: edges(true), class: "edge" }),
      labels,
      this.ray,
      this.mark,
    );
    const move = (event: PointerEvent) => {
      const box = this.element.getBoundingClientRect();
      const scale = (2 * C) / box.width;
      moved(unseen(((event.clientX - box.left) * scale - C) / R, (C - (event.clientY - box.top) * scale) / R));
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) move(event);
    });
  }

  show(to: number[], face: number): void {
    const [x, y, z] = seen(unit(to));
    const at = [C + R * (Number.isFinite(x) ? x : 0), C - R * (Number.isFinite(y) ? y : 0)];
    this.mark.setAttribute("cx", String(at[0]));
    this.mark.setAttribute("cy", String(at[1]));
    this.mark.setAttribute("class", z >= 0 ? "mark" : "mark back");
    this.ray.setAttribute("x2", String(at[0]));
    this.ray.setAttribute("y2", String(at[1]));
    this.faces.forEach((label, n) => label.classList.toggle("hit", n === face));
    this.element.setAttribute(
      "aria-label",
      `The direction (${to.map((v) => v.toPrecision(3)).join(", ")}) on a sphere: face ${FACES[face] ?? "?"}`,
    );
  }
}
