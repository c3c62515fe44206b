// Elements without a framework.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

function apply(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "value" && element instanceof HTMLInputElement) {
      element.value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, props);
  for (const child of children.flat()) if (child) element.append(child);
  return element;
}

export function s(tag: string, props: Props = {}, ...children: (Child | Child[])[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, props);
  for (const child of children.flat()) if (child) element.append(child);
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(...(children.flat().filter(Boolean) as (Node | string)[]));
}

/** Offers bytes or a text as a file. */
export function save(name: string, content: string | Uint8Array, type: string): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A picture of an SVG document as PNG, twice as fine as a screen. */
export function png(svg: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
      const context = canvas.getContext("2d");
      if (!context) return reject(new Error("there is no canvas"));
      context.scale(2, 2);
      context.fillStyle = "#fff";
      context.fillRect(0, 0, image.width, image.height);
      context.drawImage(image, 0, 0);
      canvas.toBlob(async (blob) => {
        if (!blob) return reject(new Error("the picture is too large"));
        resolve(new Uint8Array(await blob.arrayBuffer()));
      }, "image/png");
    };
    image.onerror = () => reject(new Error("the browser does not draw this picture"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
}

/** The number that bits of an f32 stand for. */
export function f32(hex: string): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, parseInt(hex, 16) >>> 0);
  return view.getFloat32(0);
}

/** The shortest decimal that comes back as the same f32. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}
