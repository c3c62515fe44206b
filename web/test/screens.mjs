// Every view at both widths and in both themes: screenshots, and what axe-core says of them.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pngjs from "pngjs";
import { here, keep, open, serious, test, update } from "./harness.mjs";

const { PNG } = pngjs;

/** The views, each with the selector that shows that it is complete. */
const COMPARED = ["fetch", "kernel"];
const SCREENS = [
  ["fetch", "tex=checker&filter=linear&address=wrap&at=0.3,0.7", ".numbers tbody tr"],
  ["grad", "tex=mips&op=tex.grad.2d.v4.f32.f32&dpdx=0.3,0.12&dpdy=-0.02,0.05&anisotropy=8&filter=linear&mip-filter=linear&address=mirror&at=0.4,0.55", ".tap"],
  ["cube", "tex=cube&filter=linear&seamless=yes&at=1,0.95,0.3", ".globe .hit"],
  ["area", "view=area&tex=checker&filter=linear&address=wrap", ".area[data-done]"],
  ["kernel", "view=kernel&example=sobel&pixel=120,90", ".access .numbers"],
  ["txd", "view=txd", ".txd .numbers"],
];

/** Pixels that differ by more than what fonts do, of 1. */
function apart(a, b) {
  if (a.width !== b.width || Math.abs(a.height - b.height) > 40) return 1;
  const height = Math.min(a.height, b.height);
  let different = 0;
  for (let n = 0; n < a.width * height * 4; n += 4) {
    const largest = Math.max(...[0, 1, 2].map((c) => Math.abs(a.data[n + c] - b.data[n + c])));
    if (largest > 48) different++;
  }
  return different / (a.width * height);
}

/** A smaller picture: the layout of the page is compared, not each letter. */
function smaller(png, by) {
  const [width, height] = [Math.floor(png.width / by), Math.floor(png.height / by)];
  const to = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 4; c++) {
        let sum = 0;
        for (let j = 0; j < by; j++) for (let i = 0; i < by; i++) sum += png.data[((y * by + j) * png.width + x * by + i) * 4 + c];
        to.data[(y * width + x) * 4 + c] = Math.round(sum / (by * by));
      }
    }
  }
  return to;
}

for (const [name, link, wait] of SCREENS) {
  for (const [width, height] of [
    [390, 844],
    [1600, 1000],
  ]) {
    for (const theme of ["light", "dark"]) {
      await test(`${name}, ${width} pixels, ${theme}: screenshot and accessibility`, async () => {
        const page = await open(link, { width, height, theme });
        await page.waitForSelector(wait, { state: "attached" });
        await page.waitForTimeout(400);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, "it is wider than the screen");
        assert.deepEqual(await serious(page), []);
        if (name === "kernel") await page.addStyleTag({ content: ".kernel-results .status { visibility: hidden }" });
        const shot = await page.screenshot({ animations: "disabled" });
        const folder = join(here, "screens");
        const file = join(folder, `${name}-${width}-${theme}.png`);
        keep(`${name}-${width}-${theme}`, shot);
        if (!COMPARED.includes(name)) return page.context().close();
        const small = smaller(PNG.sync.read(shot), 4);
        if (update || !existsSync(file)) {
          assert.ok(update, `there is no ${file}: --update writes it`);
          mkdirSync(folder, { recursive: true });
          writeFileSync(file, PNG.sync.write(small, { colorType: 2 }));
        }
        const share = apart(small, PNG.sync.read(readFileSync(file)));
        assert.ok(share < 0.04, `${(share * 100).toFixed(1)} % of the pixels differ from ${file}`);
        await page.context().close();
      });
    }
  }
}
