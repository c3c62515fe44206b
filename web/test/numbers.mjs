// The page's numbers beside the command line's, and how long they take.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, open, scratch, shown, test, texunit } from "./harness.mjs";
import { random, state } from "./states.mjs";

/** Makes the page load the build without vectors. */
const NO_SIMD = () => (WebAssembly.validate = () => false);

await test("200 random states have the numbers of the command line", async () => {
  const [page, plain] = [await open(""), await open("", { before: NO_SIMD })];
  await shown(page);
  await shown(plain);
  assert.equal(await plain.evaluate(() => document.documentElement.dataset.build), "plain");
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
    const without = await ask(plain, "explain", { keys });
    assert.deepEqual(without.value?.explanation, here.value.explanation, JSON.stringify(keys));
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
  await plain.context().close();
});

for (const build of ["simd", "plain"]) await test(`a drag step takes the worker at most 10 ms, build ${build}`, async () => {
  const page = await open("", build === "plain" ? { before: NO_SIMD } : {});
  await shown(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.build), build);
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
    const [median, largest] = [times[30], times[59]];
    console.log(`        ${name.padEnd(22)} ${median.toFixed(2).padStart(6)} ${largest.toFixed(2).padStart(6)}`);
    assert.ok(median <= 10, `${name}: ${median} ms`);
  }
  await page.context().close();
});
