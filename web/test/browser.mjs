// The page in a real browser: `node test/browser.mjs SITE TEXUNIT [--update]`. `.ci/full web` calls it.
//
// CHROMIUM names another browser than Debian's. Screenshots are compared with those of test/screens; `--update` writes them anew.

import { chromium } from "playwright-core";
import axe from "axe-core";
import pngjs from "pngjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "./server.mjs";
import { random, state } from "./states.mjs";

const { PNG } = pngjs;
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const [folder, program, ...flags] = process.argv.slice(2);
const [site, texunit] = [resolve(folder), resolve(program)];
const update = flags.includes("--update");
const only = flags.find((flag) => flag.startsWith("--only="))?.slice(7);
const browserPath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath) {
  console.log("SKIPPED: there is no Chromium (apt-get install chromium)");
  process.exit(0);
}
const server = await serve(site, "/some/where/");
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"] });
const scratch = mkdtempSync(join(tmpdir(), "texunit-web-"));
const outside = [];
const failures = [];

/** A page that may ask nobody but our server. */
async function open(hash = "", options = {}) {
  const { search = "", width = 1440, height = 1000, theme = "light", before } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  if (before) await context.addInitScript(before);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("request", (request) => {
    if (!request.url().startsWith(server.address) && !/^(data|blob):/.test(request.url())) outside.push(request.url());
  });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(`${server.address}${search}${hash ? `#${hash}` : ""}`);
  await page.waitForSelector("main:not([aria-busy])");
  return page;
}

async function shown(page) {
  await page.waitForSelector(".fetch[data-shown]");
  await page.waitForSelector(".numbers tbody tr");
}

const numbers = (page) => page.$$eval(".numbers tbody tr .bits", (cells) => cells.map((cell) => cell.textContent));
const ask = (page, method, parameters) =>
  page.evaluate(
    async ([method, parameters]) => {
      try {
        const { value, bytes, ms } = await window.texunit.engine.ask(method, parameters);
        return { value, bytes: [...bytes], ms };
      } catch (error) {
        return { refused: error.message };
      }
    },
    [method, parameters],
  );
const hash = async (page) => {
  await page.waitForTimeout(250);
  return new URL(page.url()).hash;
};

async function test(name, body) {
  if (only && !name.includes(only)) return;
  const start = Date.now();
  try {
    await body();
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAILED  ${name}\n${String(error.stack ?? error).replace(/^/gm, "        ")}`);
  }
}

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
  // A drop is the same as a dialog.
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

/** Puts a text in the place of what an editor has. */
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

await test("embedded pages", async () => {
  const page = await open("tex=checker&filter=linear&at=0.3,0.7", { search: "?embed=fetch", width: 640, height: 560 });
  await shown(page);
  assert.ok(await page.locator("header").isHidden());
  assert.match(await page.locator(".whole").getAttribute("href"), /#tex=checker/);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 640);
  await page.context().close();
});

await test("200 random states have the numbers of the command line", async () => {
  const page = await open("");
  await shown(page);
  const next = random(25);
  let [equal, refused] = [0, 0];
  for (let n = 0; equal < 200 && n < 1200; n++) {
    const keys = state(next);
    const here = await ask(page, "explain", { keys });
    const source = here.refused ? null : await ask(page, "source", { keys });
    if (here.refused) {
      refused++;
      continue;
    }
    const file = join(scratch, source.value.name);
    writeFileSync(file, Buffer.from(source.bytes));
    const line = execFileSync(texunit, [...source.value.arguments, "--format", "json"], { cwd: scratch, encoding: "utf8" });
    assert.deepEqual(here.value.explanation, JSON.parse(line), `${JSON.stringify(keys)}\n${here.value.command}`);
    // What is written as PTX is read as the same access.
    const back = await ask(page, "ptx", { text: here.value.ptx });
    assert.ok(!back.refused, `${here.value.ptx}: ${back.refused}`);
    const again = { ...keys, ...Object.fromEntries(Object.entries(back.value.keys).map(([key, value]) => [key, value ?? ""])) };
    const second = await ask(page, "explain", { keys: again });
    assert.deepEqual(second.value?.explanation, here.value.explanation, here.value.ptx);
    equal++;
  }
  console.log(`        ${equal} states are equal; ${refused} have no answer`);
  assert.equal(equal, 200);
  await page.context().close();
});

await test("a drag step takes the worker at most 10 ms", async () => {
  const page = await open("");
  await shown(page);
  const base = { tex: "checker", size: "1024,1024", filter: "linear", address: "wrap" };
  const rows = [
    ["bilinear", base],
    ["trilinear", { ...base, levels: "11", "mip-filter": "linear", op: "tex.level.2d.v4.f32.f32", lod: "2.4" }],
    ["anisotropic, 16 taps", { ...base, levels: "11", "mip-filter": "linear", op: "tex.grad.2d.v4.f32.f32", dpdx: "0.05,0.01", dpdy: "0.001,0.002", anisotropy: "16" }],
    ["gather", { ...base, op: "tld4.r.2d.v4.f32.f32" }],
    ["seamless cube", { ...base, tex: "cube", geometry: "cube", seamless: "yes" }],
  ];
  console.log("        a drag step on 1024 x 1024 texels: median and largest of 60, in ms of the worker");
  for (const [name, keys] of rows) {
    const times = [];
    for (let n = 0; n < 62; n++) {
      const at = keys.geometry === "cube" ? `1,${(n / 62).toFixed(3)},0.3` : `${(0.2 + n / 100).toFixed(3)},0.7`;
      const { ms, refused } = await ask(page, "explain", { keys: { ...keys, at } });
      assert.ok(!refused, refused);
      // The first ones make the texture.
      if (n >= 2) times.push(ms);
    }
    times.sort((a, b) => a - b);
    const [median, most] = [times[30], times[59]];
    console.log(`        ${name.padEnd(22)} ${median.toFixed(2).padStart(6)} ${most.toFixed(2).padStart(6)}`);
    assert.ok(median <= 10, `${name}: ${median} ms`);
  }
  await page.context().close();
});

/** Views as they are looked at, with what is waited for. */
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
    const most = Math.max(...[0, 1, 2].map((c) => Math.abs(a.data[n + c] - b.data[n + c])));
    if (most > 48) different++;
  }
  return different / (a.width * height);
}

/** A picture a third as large: what is compared is how the page lies, not each letter. */
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
        await page.evaluate(axe.source);
        const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
        const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
        assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`), []);
        if (name === "kernel") await page.addStyleTag({ content: ".kernel-results .status { visibility: hidden }" });
        const shot = await page.screenshot({ animations: "disabled" });
        const folder = join(here, "screens");
        const file = join(folder, `${name}-${width}-${theme}.png`);
        mkdirSync(join(site, "../site-screens"), { recursive: true });
        writeFileSync(join(site, "../site-screens", `${name}-${width}-${theme}.png`), shot);
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

await test("nothing is fetched from elsewhere", async () => {
  assert.deepEqual(outside, []);
});

await browser.close();
server.end();
rmSync(scratch, { recursive: true, force: true });
if (failures.length) {
  console.log(`${failures.length} failed: ${failures.join("; ")}`);
  process.exit(1);
}
console.log("all is well");
