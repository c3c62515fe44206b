// The site in a real browser: `node test/browser.mjs SITE TEXUNIT [--update] [--only=WORDS]`. `.ci/full web` calls it.
//
// CHROMIUM names another browser than Debian's. Screenshots are compared with those of test/screens; `--update` writes them again.

import assert from "node:assert/strict";
import { finish, outside, test } from "./harness.mjs";

for (const part of ["fetch", "kernel", "numbers", "screens", "guide"]) await import(`./${part}.mjs`);

await test("nothing is fetched from elsewhere", async () => {
  assert.deepEqual(outside, []);
});

if (!(await finish())) process.exit(1);
console.log("all tests passed");
