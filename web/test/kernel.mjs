// The views of a kernel and of a TXD word.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pngjs from "pngjs";
import { hash, open, root, test } from "./harness.mjs";

const { PNG } = pngjs;

await test("a kernel is launched, a pixel explained, a link opened", async () => {
  const page = await open("view=kernel&example=sobel");
  await page.waitForSelector(".cm-content");
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes(".version"));
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForSelector("canvas.output");
  await page.waitForSelector('.kernel[data-state="idle"]');
  assert.match(await page.locator(".kernel-results .status").textContent(), /256 CTAs in .*fetches/);
  const pixels = await page.$eval("canvas.output", (canvas) => [...canvas.getContext("2d").getImageData(0, 0, 256, 256).data]);
  const expected = PNG.sync.read(readFileSync(join(root, "examples/sobel/expected/edges.png")));
  let wrong = 0;
  for (let n = 0; n < 256 * 256 * 4; n++) if (pixels[n] !== expected.data[n]) wrong++;
  assert.equal(wrong, 0);
  await page.locator("canvas.output").click({ position: { x: 120, y: 90 } });
  await page.waitForSelector(".accesses li");
  assert.equal(await page.locator(".accesses li").count(), 8);
  assert.match(await page.locator(".pixel-detail h2").textContent(), /written by thread \(\d+, \d+, 0\)/);
  await page.waitForSelector(".access .numbers");
  const link = await hash(page);
  assert.match(link, /pixel=\d+,\d+/);
  const again = await open(link.slice(1));
  await again.waitForSelector(".accesses li");
  assert.equal(await again.locator(".pixel-detail h2").textContent(), await page.locator(".pixel-detail h2").textContent());
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await again.context().close();
});

/** Replaces the text of an editor. */
async function type(page, label, text) {
  await page.getByLabel(label, { exact: true }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

const ENDLESS = `.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    mov.u32 %r1, 0;
again:
    add.u32 %r1, %r1, 1;
    setp_is_missing;
    bra again;
}
`;
const JOB = `ptx = "sobel.ptx"
kernel = "k"
grid = [64, 1]
block = [32, 1]
[params.out]
buffer = { zeros = 4096 }
output = { file = "out.png", format = "u8", width = 64, height = 64 }
`;

await test("the language server speaks, a launch is cancelled, a fault has its line", async () => {
  const page = await open("view=kernel&example=sobel");
  await page.waitForFunction(() => document.querySelector(".cm-content")?.textContent.includes(".version"));
  await type(page, "PTX", ENDLESS);
  await page.waitForSelector(".cm-lintRange-error");
  await type(page, "PTX", ENDLESS.replace("    setp_is_missing;\n", ""));
  await page.waitForFunction(() => !document.querySelector(".cm-lintRange-error"));
  await page.locator(".cm-line", { hasText: "add.u32" }).locator("span").first().hover();
  await page.waitForSelector(".hover");
  assert.match(await page.locator(".hover").textContent(), /add/);
  await page.locator(".cm-line", { hasText: "add.u32" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("tex.");
  await page.waitForSelector(".cm-tooltip-autocomplete li");
  assert.match(await page.locator(".cm-tooltip-autocomplete").textContent(), /2d|1d|level/);
  await page.keyboard.press("Escape");
  await type(page, "PTX", ENDLESS.replace("    setp_is_missing;\n", ""));
  await type(page, "Job file", JOB);
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForSelector('.kernel[data-state="running"]');
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector('.kernel[data-state="idle"]');
  assert.match(await page.locator(".kernel-results .status").textContent(), /Cancelled/);
  const wrong = ENDLESS.replace("    setp_is_missing;\n    bra again;", "    .reg .b64 %rd<3>;\n    ld.param.u64 %rd1, [out];\n    st.global.u32 [%rd1+4096], %r1;\n    ret;");
  await type(page, "PTX", wrong);
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForSelector(".fault-line");
  assert.match(await page.locator(".fault-line").textContent(), /st\.global/);
  assert.match(await page.locator(".problems").textContent(), /line 12.*4096/);
  await type(page, "PTX", wrong.replace("+4096", ""));
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForSelector("canvas.output");
  await type(page, "Job file", JOB.replace("grid = [64, 1]", "grid = 0"));
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForFunction(() => document.querySelector(".problems").textContent.includes("job, line 3"));
  assert.match(await hash(page), /ptx=[\w-]+/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("every example runs", async () => {
  const page = await open("view=kernel&example=rotate");
  await page.waitForFunction(() => document.querySelectorAll("#example option").length > 0);
  const names = await page.$$eval("#example option", (options) => options.map((option) => option.value));
  assert.ok(names.length >= 18, names.join());
  for (const name of names) {
    await page.selectOption("#example", name);
    await page.waitForFunction((name) => location.hash.includes(`example=${name}`), name);
    await page.waitForTimeout(300);
    await page.getByRole("button", { name: "Launch" }).click();
    await page.waitForFunction(() => document.querySelector(".kernel").dataset.state === "idle" && (document.querySelector("canvas.output") || document.querySelector(".problems li.error")), null, { timeout: 60_000 });
    assert.equal(await page.locator(".problems li.error").count(), 0, `${name}: ${await page.locator(".problems").textContent()}`);
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

await test("TXD: bits, fields and text follow each other", async () => {
  const page = await open("view=txd");
  await page.waitForSelector(".bit");
  await page.waitForSelector(".txd .numbers");
  const text = () => page.inputValue("#txd-text");
  const first = await text();
  assert.match(first, /^TXD /);
  await page.locator('[data-bit="34"]').click();
  await page.waitForFunction((first) => document.querySelector("#txd-text").value !== first, first);
  assert.match(await hash(page), /word=0x/);
  await page.fill("#txd-text", "TXD R0, R4, R8, 0x105, 2D, 0x3");
  await page.waitForFunction(() => document.querySelector('[data-field="wmskU04"]')?.value === "0x3");
  assert.equal(await page.locator(".registers tbody tr").count(), 4);
  await page.fill('[data-field="Rd"]', "R4");
  await page.locator('[data-field="Rd"]').press("Enter");
  await page.waitForFunction(() => document.querySelector("#txd-text").value.startsWith("TXD R4,"));
  await page.fill("#txd-text", "TXD R0, R5, R8, 0x105, 2D, 0x3");
  await page.waitForSelector(".txd .problems li");
  await page.fill("#txd-text", "TXQ nonsense");
  await page.waitForSelector(".txd > .problem:not([hidden])");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
