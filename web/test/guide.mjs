// The guide: the live figures of its lessons, and its pages at both widths and in both themes.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { keep, serious, site, test, visit } from "./harness.mjs";

const folder = join(site, "guide/textures");
const lessons = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d-.*\.html$/.test(name)) : [];

await test("the guide has its seven lessons", async () => {
  assert.equal(lessons.length, 7, `${folder}: ${lessons}`);
});

/** The frames of a page: each is loaded when it comes into view. */
async function figures(page) {
  const found = [];
  for (const element of await page.locator(".live iframe").elementHandles()) {
    await element.scrollIntoViewIfNeeded();
    const frame = await element.contentFrame();
    await frame.waitForSelector(".fetch[data-shown]");
    await frame.waitForSelector(".numbers tbody tr, img.bytes");
    await frame.waitForSelector(".stage .over > *", { state: "attached" });
    found.push([element, frame]);
  }
  return found;
}

for (const lesson of lessons) {
  const links = [...readFileSync(join(folder, lesson), "utf8").matchAll(/<iframe src="[^"#]*#([^"]*)"/g)];
  const keys = links.map(([, link]) => Object.fromEntries(new URLSearchParams(link.replaceAll("&amp;", "&"))));
  for (const [width, height] of [
    [390, 844],
    [1600, 1000],
  ]) {
    for (const theme of ["light", "dark"]) {
      await test(`${lesson}, ${width} pixels, ${theme}: live figures`, async () => {
        const page = await visit(`guide/textures/${lesson}`, { width, height, theme });
        const frames = await figures(page);
        assert.ok(frames.length > 0 && frames.length === keys.length, `${frames.length} figures of ${keys.length}`);
        for (const [n, [element, frame]] of frames.entries()) {
          const { op, tex } = keys[n];
          if (op) assert.equal(await frame.getAttribute(".fetch", "data-shown"), op);
          assert.match(await frame.textContent(".caption"), new RegExp(tex));
          assert.ok(await frame.locator(".problem:not([hidden])").count() === 0, await frame.textContent("body"));
          assert.ok(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the figure is wider than its frame");
          assert.deepEqual(await serious(frame), []);
          keep(`${lesson.replace(".html", "")}-${n}-${width}-${theme}`, await element.screenshot({ animations: "disabled" }));
        }
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the screen");
        keep(`${lesson.replace(".html", "")}-${width}-${theme}`, await page.screenshot({ animations: "disabled" }));
        // A click and a key move the point of a figure, and the key does not turn the page of the guide.
        const [element, frame] = frames[0];
        await element.scrollIntoViewIfNeeded();
        const instruction = () => frame.inputValue(".ptx");
        const [first, address] = [await instruction(), page.url()];
        const box = await frame.locator(".stage").boundingBox();
        await frame.locator(".stage").click({ position: { x: box.width * 0.45, y: box.height * 0.5 } });
        await frame.waitForFunction((first) => document.querySelector(".ptx").value !== first, first);
        const second = await instruction();
        await page.keyboard.press("ArrowRight");
        await frame.waitForFunction((second) => document.querySelector(".ptx").value !== second, second);
        assert.equal(page.url(), address);
        assert.deepEqual(page.problems, []);
        await page.context().close();
      });
    }
  }
}
