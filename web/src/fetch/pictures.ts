// Pictures of levels, asked for once.

import type { Engine } from "../engine";
import type { Keys, PictureInfo } from "../protocol";

export interface Picture {
  info: PictureInfo;
  /** With the texels as they are, one pixel each. */
  canvas: HTMLCanvasElement;
  data: Uint8ClampedArray;
}

/** Which part of a texture. */
export interface Part {
  level: number;
  plane: number;
  z: number;
  sample: number;
}

/** Where pictures come from: the texture of the keys, or that of an explained fetch. */
export interface Source {
  /** What the pictures depend on. */
  id: string;
  keys?: Keys;
  subject?: number;
}

const MOST = 64;

export class Pictures {
  private known = new Map<string, Promise<Picture | null>>();
  private ready = new Map<string, Picture>();

  constructor(private readonly engine: Engine) {}

  /** Forgets those of subjects and of a file, which change under the same name. */
  forget(): void {
    this.known.clear();
    this.ready.clear();
  }

  private key(source: Source, part: Part): string {
    return `${source.id}|${part.level}|${part.plane}|${part.z}|${part.sample}`;
  }

  /** A picture if it is there already. */
  now(source: Source, part: Part): Picture | null {
    return this.ready.get(this.key(source, part)) ?? null;
  }

  get(source: Source, part: Part): Promise<Picture | null> {
    const key = this.key(source, part);
    let found = this.known.get(key);
    if (!found) {
      if (this.known.size > MOST) this.forget();
      found = this.ask(source, part).then((picture) => {
        if (picture) this.ready.set(key, picture);
        else this.known.delete(key);
        return picture;
      });
      this.known.set(key, found);
    }
    return found;
  }

  private async ask(source: Source, part: Part): Promise<Picture | null> {
    try {
      const { keys, subject } = source;
      const { value, bytes } = await this.engine.ask("picture", { keys, subject, ...part });
      return make(value, bytes);
    } catch {
      return null;
    }
  }
}

export function make(info: PictureInfo, bytes: Uint8Array): Picture | null {
  const data = new Uint8ClampedArray(bytes);
  const canvas = document.createElement("canvas");
  canvas.width = info.width;
  canvas.height = info.height;
  const context = canvas.getContext("2d");
  if (!context || data.length !== info.width * info.height * 4) return null;
  context.putImageData(new ImageData(data, info.width, info.height), 0, 0);
  return { info, canvas, data };
}

/** The colour of a texel, for CSS. */
export function colourOf(picture: Picture, x: number, y: number): string | null {
  const { step, texels, width } = picture.info;
  if (x < 0 || y < 0 || x >= texels[0] || y >= texels[1]) return null;
  const at = (Math.floor(y / step) * width + Math.floor(x / step)) * 4;
  const [r, g, b] = picture.data.subarray(at, at + 3);
  return `rgb(${r},${g},${b})`;
}

/** Black or white, whichever can be read on a colour. */
export function inkOn(colour: string): string {
  const [r, g, b] = (colour.match(/[\d.]+/g) ?? ["255", "255", "255"]).map(Number);
  const linear = (v: number) => {
    const c = v / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  const light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return light > 0.179 ? "#000" : "#fff";
}
