// The chain of mip levels, and where between them a fetch reads.

import { s } from "../dom";
import type { FetchExplanation, TextureInfo } from "../protocol";
import type { Picture } from "./pictures";

const STEP = 92;
const LARGEST = 76;

export function chain(e: FetchExplanation, texture: TextureInfo, pictures: (Picture | null)[]): SVGElement {
  const { levels } = texture;
  const longest = Math.max(levels[0][0], levels[0][1]);
  const middle = (n: number) => 48 + n * STEP;
  const line = LARGEST + 18;
  const last = levels.length - 1;
  const q = Math.min(last, Math.max(0, e.level.q / 256));
  const parts: SVGElement[] = [s("line", { x1: middle(0), y1: line, x2: middle(last), y2: line, class: "chain-line" })];
  levels.forEach(([width, height], n) => {
    const w = Math.max(4, (width / longest) * LARGEST);
    const hh = Math.max(4, (height / longest) * LARGEST);
    const share = e.level.levels.find((level) => level.level === n)?.share;
    const box = { x: middle(n) - w / 2, y: 6 + LARGEST - hh, width: w, height: hh };
    const picture = pictures[n];
    if (picture) {
      parts.push(s("image", { ...box, href: picture.canvas.toDataURL(), preserveAspectRatio: "none", style: "image-rendering:pixelated" }));
    }
    parts.push(s("rect", { ...box, class: share !== undefined ? "chain-level read" : "chain-level" }));
    parts.push(s("text", { x: middle(n), y: line + 20, "text-anchor": "middle", class: "tick" }, String(n)));
    if (share !== undefined) parts.push(s("text", { x: middle(n), y: line + 37, "text-anchor": "middle", class: "share" }, `${share}/256`));
  });
  parts.push(s("circle", { cx: middle(q), cy: line, r: 6, class: "chain-mark" }));
  const read = e.level.levels.map((level) => `level ${level.level} counts ${level.share} of 256`).join(", ");
  const picture = s("svg", { viewBox: `0 0 ${middle(last) + 48} ${line + 44}`, class: "chain", role: "img", "aria-label": `Level ${e.level.q / 256}: ${read}` }, parts);
  (picture as unknown as HTMLElement).style.maxWidth = `${middle(last) + 48}px`;
  return picture;
}
