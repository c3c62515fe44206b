// Runs a program for wasm32-wasip1 under node, as the runner of cargo: node --no-warnings xtask/wasi.mjs PROGRAM ARGS
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [file, ...args],
  env: { ...process.env, PWD: process.cwd() },
  preopens: { '/': '/' },
});
const imports = wasi.getImportObject();
// Ends here. Node's own throws an exception through the program's frames, which V8 of node 20 does not always survive.
imports.wasi_snapshot_preview1.proc_exit = (code) => process.exit(code);
const module = await WebAssembly.compile(await readFile(file));
const instance = await WebAssembly.instantiate(module, imports);
process.exitCode = wasi.start(instance);
