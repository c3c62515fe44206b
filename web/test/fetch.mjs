// The views of a fetch and of an area, files of the user, both builds, and the page in frames.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash, numbers, open, root, scratch, shown, test } from "./harness.mjs";

await test("a fetch is shown, from a path of its own", async () => {
  const page = await open("tex=checker&op=tex.2d.v4.f32.f32&filter=linear&address=wrap&at=0.3,0.7");
  await shown(page);
  assert.equal(await page.inputValue(".ptx"), "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {0.3, 0.7}];");
  assert.equal((await numbers(page)).length, 4);
  assert.equal(await page.locator(".lens-frame").count(), 4);
  assert.match(await page.locator(".lens .weight").first().textContent(), /^\d+\/256$/);
  assert.match(await page.locator(".rule").first().getAttribute("href"), /^guide\/numerics\.html#rule-\d/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.build), "simd");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("the point is dragged, and moved by keys", async () => {
  const page = await open("filter=linear&at=0.3,0.7");
  await shown(page);
  const before = await numbers(page);
  const box = await page.locator(".stage").boundingBox();
  const at = (u, v) => [box.x + ((u + 0.25) / 1.5) * box.width, box.y + ((v + 0.25) / 1.5) * box.height];
  await page.mouse.move(...at(0.3, 0.7));
  await page.mouse.down();
  for (let n = 1; n <= 20; n++) await page.mouse.move(...at(0.3 + n * 0.02, 0.7 - n * 0.01));
  await page.mouse.up();
  assert.match(await hash(page), /at=0\.(69|70|7)\d*,0\.(49|50|5)/);
  assert.notDeepEqual(await numbers(page), before);
  const [x] = (await hash(page)).match(/at=([\d.]+)/).slice(1).map(Number);
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForFunction(([x]) => Math.abs(Number(new URL(location.href).hash.match(/at=([\d.]+)/)[1]) - x - 0.125) < 1e-6, [x]);
  await page.keyboard.press("ArrowUp");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("PTX, form and link follow each other", async () => {
  const page = await open("tex=mips&mip-filter=linear&filter=linear");
  await shown(page);
  await page.fill(".ptx", "tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {0.25, 0.5}], 1.5;");
  await page.waitForFunction(() => document.querySelector(".fetch").dataset.shown === "tex.level.2d.v4.f32.f32");
  assert.equal(await page.getByLabel("Level", { exact: true }).inputValue(), "1.5");
  assert.equal(await page.getByLabel("Operation").inputValue(), "tex.level");
  assert.match(await hash(page), /op=tex\.level\.2d\.v4\.f32\.f32&.*lod=1\.5|lod=1\.5.*op=tex\.level/);
  assert.equal(await page.locator(".chain-level.read").count(), 2);
  await page.fill(".ptx", "tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {0.25, 0.5}], ;");
  await page.waitForSelector(".ptx[aria-invalid]");
  assert.notEqual(await page.locator(".ptx-row .field-error").textContent(), "");
  await page.getByLabel("Operation").selectOption("tex.grad");
  await page.waitForFunction(() => document.querySelector(".fetch").dataset.shown === "tex.grad.2d.v4.f32.f32");
  await page.getByLabel("dPdx").fill("0.3,0.02");
  await page.getByLabel("dPdy").fill("0,0.05");
  await page.getByLabel("Anisotropy").fill("8");
  await page.waitForSelector(".tap");
  assert.ok((await page.locator(".tap").count()) > 1);
  assert.equal(await page.locator(".ellipse").count(), 1);
  await page.waitForFunction(() => document.querySelector(".ptx").value.includes("{0.3, 0.02}, {0.0, 0.05}"));
  await page.getByLabel("Address x").selectOption("wrap");
  await page.getByLabel("Unnormalized coordinates").check();
  await page.waitForSelector(".overrides .rule");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("a link gives the same page again", async () => {
  const page = await open("");
  await shown(page);
  await page.getByLabel("Texels", { exact: true }).selectOption("cube");
  await page.waitForSelector(".globe-box:not([hidden])");
  await page.getByLabel("Filter", { exact: true }).selectOption("linear");
  await page.getByLabel("Seamless cube").check();
  const box = await page.locator(".stage").boundingBox();
  await page.mouse.click(box.x + box.width * 0.49, box.y + box.height * 0.36);
  await page.waitForTimeout(300);
  const before = await numbers(page);
  const link = page.url();
  const again = await open(new URL(link).hash.slice(1));
  await shown(again);
  assert.deepEqual(await numbers(again), before);
  assert.equal(await again.inputValue(".ptx"), await page.inputValue(".ptx"));
  await again.getByLabel("Filter", { exact: true }).selectOption("");
  await again.goBack().catch(() => {});
  await page.context().close();
  await again.context().close();
});

await test("a file of one's own, and files that are none", async () => {
  const page = await open("filter=linear");
  await shown(page);
  await page.setInputFiles("#file", join(root, "examples/sobel/landscape.png"));
  await page.waitForFunction(() => document.querySelector(".caption").textContent.includes("256 x 256"));
  assert.match(await page.locator(".own-note").textContent(), /landscape\.png.*Links leave it out/);
  assert.ok(!(await page.evaluate(() => window.texunit.state.link())).includes("own"));
  const text = join(scratch, "text.png");
  writeFileSync(text, "this is not a picture");
  await page.setInputFiles("#file", text);
  await page.waitForSelector(".problem:not([hidden])");
  assert.match(await page.locator(".fetch > .problem").textContent(), /PNG/);
  const damaged = join(scratch, "damaged.dds");
  writeFileSync(damaged, Buffer.concat([Buffer.from("DDS "), Buffer.alloc(200, 255)]));
  await page.setInputFiles("#file", damaged);
  await page.waitForFunction(() => document.querySelector(".fetch > .problem").textContent.includes("damaged.dds"));
  assert.ok(await page.locator(".stage").isVisible());
  await page.getByLabel("Texels", { exact: true }).selectOption("gradient");
  await page.waitForFunction(() => document.querySelector(".fetch > .problem").hidden);
  assert.deepEqual(page.problems, []);
  // A drop does what the dialog does.
  await page.evaluate(async () => {
    const transfer = new DataTransfer();
    const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }".padEnd(117) + "\n";
    const bytes = new Uint8Array(128 + 16);
    bytes.set([0x93, 78, 85, 77, 80, 89, 1, 0, 118, 0]);
    bytes.set(new TextEncoder().encode(header), 10);
    bytes.set(new Uint8Array(new Float32Array([0, 1, 2, 3]).buffer), 128);
    transfer.items.add(new File([bytes], "four.npy"));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  });
  await page.waitForFunction(() => document.querySelector(".caption").textContent.includes("2 x 2"));
  await page.context().close();
});

await test("without SIMD the other build is loaded, and gives the same", async () => {
  const link = "tex=mips&op=tex.grad.2d.v4.f32.f32&dpdx=0.2,0.1&dpdy=0.01,0.05&anisotropy=16&filter=linear&mip-filter=linear&at=0.31,0.62";
  const [plain, simd] = [await open(link, { before: () => (WebAssembly.validate = () => false) }), await open(link)];
  await shown(plain);
  await shown(simd);
  assert.equal(await plain.evaluate(() => document.documentElement.dataset.build), "plain");
  assert.deepEqual(await numbers(plain), await numbers(simd));
  await plain.context().close();
  await simd.context().close();
});

await test("a panic is said, and the page goes on", async () => {
  const page = await open("filter=linear");
  await shown(page);
  await page.evaluate(() => window.texunit.panic());
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await page.locator("#banner").textContent(), /started again/);
  await page.getByLabel("Texels", { exact: true }).selectOption("gradient");
  await page.waitForFunction(() => document.querySelector(".caption").textContent.includes("gradient"));
  assert.ok((await numbers(page)).length === 4);
  await page.getByRole("button", { name: "Close" }).click();
  assert.ok(await page.locator("#banner").isHidden());
  await page.context().close();
});

await test("an area is computed in slices, and a pixel explained", async () => {
  const page = await open("view=area&tex=checker&filter=linear&address=wrap");
  await page.waitForSelector(".area[data-done]");
  assert.match(await page.locator(".area .status").textContent(), /largest difference is 0\.0\d+/);
  await page.locator(".area-figures canvas").nth(2).click({ position: { x: 100, y: 80 } });
  await page.waitForSelector(".area-detail .numbers");
  assert.match(await hash(page), /at=0\.\d+,0\.\d+/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("a surface access is drawn with its bytes", async () => {
  const page = await open("tex=grid&op=suld.b.2d.b32.trap&at=8,5");
  await page.waitForSelector("img.bytes");
  await page.waitForSelector(".over .cell", { state: "attached" });
  assert.equal(await page.locator(".result-box").textContent(), "0xff32b448");
  await page.locator(".handle").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".ptx").value.includes("{12, 5}"));
  await page.fill(".ptx", "sust.b.2d.b32.clamp [surf, {40, 9}], {17};");
  await page.waitForFunction(() => document.querySelectorAll(".over .cell").length === 2);
  assert.equal(await page.locator(".over .cell.moved").count(), 1);
  // Back to a fetch, whose footprint takes the place of the bytes.
  await page.fill(".ptx", "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {0.3, 0.7}];");
  await page.waitForSelector(".lens");
  assert.equal(await page.locator("img.bytes").count(), 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("embedded pages", async () => {
  const page = await open("tex=checker&filter=linear&at=0.3,0.7", { search: "?embed=fetch", width: 640, height: 560 });
  await shown(page);
  assert.ok(await page.locator("header").isHidden());
  assert.match(await page.locator(".whole").getAttribute("href"), /#tex=checker/);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 640);
  await page.context().close();
});
