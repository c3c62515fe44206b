// Everything about one fetch: picture, lens, levels, direction, result, steps. The views share it.

import { fill, h } from "../dom";
import { f32 } from "../dom";
import type { FetchExplanation, Footprint, SurfaceExplanation, TextureInfo } from "../protocol";
import { chain } from "./chain";
import { Globe } from "./globe";
import { channelsOf, lens, title } from "./lens";
import type { Picture, Pictures, Source } from "./pictures";
import { result } from "./result";
import { type Move, Stage } from "./stage";
import { steps } from "./steps";

export interface Fetch {
  texture: TextureInfo;
  explanation: FetchExplanation;
  exact: (number | null)[] | null;
  source: Source;
}

export interface Access {
  texture: TextureInfo;
  explanation: SurfaceExplanation;
  source: Source;
}

/** The coordinates as numbers: of the point only, without layer and sample. */
export function point(e: FetchExplanation, texture: TextureInfo): number[] {
  const integers = e.sampler.coords === "integer";
  const cube = texture.geometry.endsWith("cube");
  const axes = cube ? 3 : texture.axes;
  const words = e.operands.coords.slice(-axes);
  return words.map((word) => (integers ? parseInt(word, 16) | 0 : f32(word)));
}

export class FetchView {
  readonly picture = h("div", { class: "picture-box" });
  readonly lensBox = h("div", { class: "lens-area" });
  readonly levels = h("div", { class: "levels-box" });
  readonly result = h("div", { class: "result-box" });
  readonly steps = h("div", { class: "steps-box" });
  private readonly stage: Stage;
  private readonly globe: Globe;
  private readonly globeBox: HTMLElement;
  private readonly tabs = h("div", { class: "tabs", role: "group", "aria-label": "Footprint" });
  private readonly lensPlace = h("div", {});
  private readonly caption = h("p", { class: "caption" });
  private chosen = 0;
  private fetch: Fetch | null = null;
  private access: Access | null = null;
  private generation = 0;

  constructor(
    private readonly pictures: Pictures,
    move: Move | null,
  ) {
    this.stage = new Stage(move ?? (() => {}), move === null);
    this.globe = new Globe((to) => move?.(to.map((v) => Number(v.toFixed(3))), false));
    this.globeBox = h("div", { class: "globe-box", hidden: true }, this.globe.element as unknown as HTMLElement);
    this.picture.append(this.stage.element, this.caption, this.globeBox);
    this.lensBox.append(this.tabs, this.lensPlace);
  }

  show(fetch: Fetch): void {
    this.fetch = fetch;
    this.access = null;
    const { explanation: e, texture, exact } = fetch;
    const generation = ++this.generation;
    if (this.chosen >= e.footprints.length) this.chosen = 0;
    fill(this.result, result(e, exact, channelsOf(texture.format)));
    fill(this.steps, steps(e, texture));
    this.showTabs();
    this.drawStage();
    this.drawLens();
    this.drawLevels();
    this.globeBox.hidden = !e.cube;
    if (e.cube) this.globe.show(e.cube.direction.map(f32), e.cube.face);
    void this.fetchPictures(generation);
  }

  /** A surface access: where it points and goes. What it loads or stores, and its bytes, are the page's. */
  showAccess(access: Access): void {
    this.fetch = null;
    this.access = access;
    const generation = ++this.generation;
    fill(this.tabs);
    this.levels.hidden = true;
    this.globeBox.hidden = true;
    this.drawAccess();
    const part = this.accessPart(access);
    if (this.pictures.now(access.source, part)) return;
    void this.pictures.get(access.source, part).then(() => {
      if (generation === this.generation) this.drawAccess();
    });
  }

  /** The picture of the bytes of a surface access. */
  showBytes(picture: HTMLElement): void {
    if (this.access) fill(this.lensPlace, picture);
  }

  private accessPart({ texture, explanation: e }: Access): { level: number; plane: number; z: number; sample: number } {
    const inside = (n: number, count: number) => Math.min(count - 1, Math.max(0, n));
    const z = e.place?.z ?? e.at[2] ?? 0;
    return { level: 0, plane: inside(e.place?.layer ?? e.layer, texture.planes), z: inside(z, texture.levels[0][2]), sample: 0 };
  }

  private drawAccess(): void {
    const { access } = this;
    if (!access) return;
    const { texture, explanation: surface, source } = access;
    const part = this.accessPart(access);
    const coords = [Math.floor(surface.byte_x / texture.texel_size), surface.at[1] ?? 0];
    this.stage.show({ texture, explanation: null, surface, pictures: [this.pictures.now(source, part)], coords, integers: true }, this.dark);
    const layered = texture.geometry.startsWith("a");
    this.caption.textContent = [texture.describe.replace(/`/g, ""), texture.axes === 3 ? `slice ${part.z} is shown` : "", layered ? `layer ${part.plane} is shown` : ""].filter(Boolean).join("; ");
  }

  /** Draws again, for another theme. */
  redraw(): void {
    if (this.fetch) this.show(this.fetch);
    this.drawAccess();
  }

  private get dark(): boolean {
    return document.documentElement.dataset.theme === "dark";
  }

  private get plane(): number {
    return this.fetch?.explanation.footprints[0]?.plane ?? 0;
  }

  /** The slice of level 0 that the point is in. */
  private get slice(): number {
    const fetch = this.fetch;
    const axis = fetch?.explanation.footprints[0]?.axes[2];
    if (!fetch || !axis) return 0;
    const depth = fetch.texture.levels[0][2];
    const of = fetch.explanation.footprints[0].extent[2];
    return Math.min(depth - 1, Math.max(0, Math.floor((axis.texels / of) * depth)));
  }

  private stageParts(): { level: number; plane: number; z: number; sample: number }[] {
    const fetch = this.fetch;
    if (!fetch) return [];
    const sample = fetch.explanation.footprints[0]?.sample ?? 0;
    if (!fetch.texture.geometry.endsWith("cube")) return [{ level: 0, plane: this.plane, z: this.slice, sample }];
    const cube = Math.floor(this.plane / 6) * 6;
    return [0, 1, 2, 3, 4, 5].map((face) => ({ level: 0, plane: cube + face, z: 0, sample }));
  }

  private lensParts(f: Footprint): { level: number; plane: number; z: number; sample: number }[] {
    const z = f.axes[2]?.index ?? 0;
    return [0, 1].map((n) => ({ level: f.level, plane: f.plane, z: Math.max(0, Math.min(f.extent[2] - 1, z + n)), sample: f.sample }));
  }

  private now(parts: { level: number; plane: number; z: number; sample: number }[]): (Picture | null)[] {
    const source = this.fetch?.source;
    return parts.map((part) => (source ? this.pictures.now(source, part) : null));
  }

  private async fetchPictures(generation: number): Promise<void> {
    const fetch = this.fetch;
    if (!fetch) return;
    const f = fetch.explanation.footprints[this.chosen];
    const levels = fetch.texture.mipmapped ? fetch.texture.levels.map((_, level) => ({ ...this.stageParts()[0], level, z: 0 })) : [];
    const wanted = [...this.stageParts(), ...(f ? this.lensParts(f) : []), ...levels];
    if (this.now(wanted).every(Boolean)) return;
    await Promise.all(wanted.map((part) => this.pictures.get(fetch.source, part)));
    if (generation !== this.generation) return;
    this.drawStage();
    this.drawLens();
    this.drawLevels();
  }

  private drawStage(): void {
    const fetch = this.fetch;
    if (!fetch) return;
    const { texture, explanation } = fetch;
    const integers = explanation.sampler.coords === "integer";
    this.stage.show({ texture, explanation, pictures: this.now(this.stageParts()), coords: point(explanation, texture), integers }, this.dark);
    const parts = [texture.describe.replace(/`/g, "")];
    if (texture.axes === 3 && !texture.geometry.endsWith("cube")) parts.push(`slice ${this.slice} is shown`);
    if (texture.geometry.startsWith("a") && !texture.geometry.endsWith("cube")) parts.push(`layer ${this.plane} is shown`);
    this.caption.textContent = parts.join("; ");
  }

  private drawLens(): void {
    const fetch = this.fetch;
    const f = fetch?.explanation.footprints[this.chosen];
    if (!fetch || !f) return fill(this.lensPlace, h("p", { class: "note" }, "No texel is read."));
    fill(this.lensPlace, lens({ texture: fetch.texture, explanation: fetch.explanation, footprint: f, pictures: this.now(this.lensParts(f)) }));
  }

  private drawLevels(): void {
    const fetch = this.fetch;
    this.levels.hidden = !fetch?.texture.mipmapped;
    if (!fetch?.texture.mipmapped) return;
    const pictures = this.now(fetch.texture.levels.map((_, level) => ({ ...this.stageParts()[0], level, z: 0 })));
    fill(this.levels, h("h3", {}, `Level ${fetch.explanation.level.q / 256}`), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Levels" }, chain(fetch.explanation, fetch.texture, pictures) as unknown as HTMLElement));
  }

  private showTabs(): void {
    const fetch = this.fetch;
    if (!fetch) return;
    const { footprints } = fetch.explanation;
    const name = (f: Footprint) => {
      const parts = [];
      if (fetch.texture.mipmapped) parts.push(`level ${f.level}`);
      if (f.tap_weight !== 1024) parts.push(`tap ${f.tap}`);
      return parts.join(", ") || "footprint";
    };
    if (footprints.length < 2) return fill(this.tabs, h("p", { class: "lens-title" }, footprints[0] ? title(fetch.texture, footprints[0]) : ""));
    fill(
      this.tabs,
      footprints.slice(0, 32).map((f, n) =>
        h(
          "button",
          {
            type: "button",
            class: "tab",
            "aria-pressed": String(n === this.chosen),
            onclick: () => {
              this.chosen = n;
              const generation = ++this.generation;
              this.showTabs();
              this.drawLens();
              void this.fetchPictures(generation);
            },
          },
          name(f),
        ),
      ),
      h("p", { class: "lens-title" }, title(fetch.texture, footprints[this.chosen])),
    );
  }
}
