// The page without its WebAssembly: `node build.mjs OUT EXAMPLES`. `cargo run -p xtask -- site` calls it.

import { build } from "esbuild";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize, posix } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [out = join(here, "../target/site"), examples = join(here, "../examples")] = process.argv.slice(2);

await mkdir(out, { recursive: true });
const common = { bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "linked", logLevel: "warning", charset: "utf8" };
await build({ ...common, entryPoints: { main: join(here, "src/main.ts") }, outdir: out, splitting: true, chunkNames: "part-[hash]" });
// The glue of wasm-bindgen is loaded by its address.
await build({ ...common, entryPoints: { worker: join(here, "src/worker.ts") }, outdir: out });
await build({ ...common, entryPoints: { style: join(here, "src/style.css") }, outdir: out });
for (const name of ["index.html", "icon.svg"]) await cp(join(here, "src", name), join(out, name));

/** Files that a job reads, as it names them. */
function filesOf(job) {
  const names = new Set();
  for (const [, value] of job.matchAll(/(?<!output\s*=\s*[^\n]*)\bfiles?\s*=\s*(\[[^\]]*\]|"[^"]*")/g)) {
    for (const [, name] of value.matchAll(/"([^"]*)"/g)) names.add(name);
  }
  return [...names];
}

// What the README of the examples says of each.
const about = new Map();
for (const line of (await readFile(join(examples, "README.md"), "utf8")).split("\n")) {
  const cells = line.split("|").map((cell) => cell.trim());
  const name = cells[1]?.match(/^\[([\w-]+)\]/)?.[1];
  if (name) about.set(name, cells[4].replace(/`/g, ""));
}
const index = [];
for (const entry of (await readdir(examples, { withFileTypes: true })).filter((e) => e.isDirectory())) {
  const name = entry.name;
  const job = await readFile(join(examples, name, "job.toml"), "utf8").catch(() => null);
  const ptx = job?.match(/^ptx\s*=\s*"([^"]+)"/m)?.[1];
  if (!job || !ptx) continue;
  const files = filesOf(job);
  for (const file of ["job.toml", ptx, ...files]) {
    const to = normalize(join(out, "examples", name, file));
    await mkdir(dirname(to), { recursive: true });
    await cp(join(examples, name, file), to);
  }
  index.push({ name, about: about.get(name) ?? "", job: posix.join(name, "job.toml"), ptx, files });
}
index.sort((a, b) => (a.name < b.name ? -1 : 1));
await writeFile(join(out, "examples/index.json"), JSON.stringify(index));
