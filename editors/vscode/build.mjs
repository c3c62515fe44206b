// Bundles the extension with its language client into dist/extension.js, and what the licences of the packages in it ask
// for into dist/THIRD-PARTY.txt. `vscode` is what the editor gives.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  // What the oldest editor of package.json has.
  target: "node18",
  external: ["vscode"],
  minify: true,
  metafile: true,
  logLevel: "warning",
});

const folders = Object.keys(metafile.inputs)
  .map((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0])
  .filter((folder) => folder !== undefined);
const notices = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("dist/THIRD-PARTY.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

const licences = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(`../../${name}`, "utf8").trim());
writeFileSync("LICENSE", `texunit is under either of these licences, at your choice.\n\n${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
