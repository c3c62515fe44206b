// What the tests in the browser share: a server, the browser, its pages, and a test's verdict.

import { chromium } from "playwright-core";
import axe from "axe-core";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "./server.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "../..");
const [folder, program, ...flags] = process.argv.slice(2);
export const [site, texunit] = [resolve(folder), resolve(program)];
export const update = flags.includes("--update");
const only = flags.find((flag) => flag.startsWith("--only="))?.slice(7);
const browserPath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath) {
  console.log("SKIPPED: there is no Chromium (apt-get install chromium)");
  process.exit(0);
}
const server = await serve(site, "/some/where/");
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"] });
export const scratch = mkdtempSync(join(tmpdir(), "texunit-web-"));
export const outside = [];
const failures = [];

/** A page of the site that may ask nobody but our server. */
export async function visit(path, options = {}) {
  const { width = 1440, height = 1000, theme = "light", before } = options;
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
  await page.goto(`${server.address}${path}`);
  return page;
}

/** The playground in a state. */
export async function open(hash = "", options = {}) {
  const page = await visit(`${options.search ?? ""}${hash ? `#${hash}` : ""}`, options);
  await page.waitForSelector("main:not([aria-busy])");
  return page;
}

/** What must not be found: what axe-core says of a page or of a frame that is serious or critical. */
export async function serious(page) {
  await page.evaluate(axe.source);
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
  const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules, iframes: false }), rules);
  const bad = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  return bad.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
}

/** Keeps a picture beside the site, for people to look at. */
export function keep(name, picture) {
  const folder = join(site, "../site-screens");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), picture);
}

export async function shown(page) {
  await page.waitForSelector(".fetch[data-shown]");
  await page.waitForSelector(".numbers tbody tr");
}

export const numbers = (page) => page.$$eval(".numbers tbody tr .bits", (cells) => cells.map((cell) => cell.textContent));
export const ask = (page, method, parameters) =>
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
export const hash = async (page) => {
  await page.waitForTimeout(250);
  return new URL(page.url()).hash;
};

export async function test(name, body) {
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

/** Ends everything; whether all tests have passed. */
export async function finish() {
  await browser.close();
  server.end();
  rmSync(scratch, { recursive: true, force: true });
  if (failures.length) console.log(`${failures.length} failed: ${failures.join("; ")}`);
  return failures.length === 0;
}
