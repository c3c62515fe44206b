// A plain file server: the site is at a path below the root, as on other people's servers.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".wasm": "application/wasm" };

/** Serves a folder at a path; the address, and how to end it. */
export function serve(folder, path) {
  return new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const target = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
      const inside = target.startsWith(path) ? normalize(target.slice(path.length) || "index.html") : "..";
      try {
        if (inside.startsWith("..")) throw new Error("outside");
        const bytes = await readFile(join(folder, inside));
        response.writeHead(200, { "content-type": TYPES[extname(inside)] ?? "application/octet-stream" });
        response.end(bytes);
      } catch {
        response.writeHead(404).end("there is no such file");
      }
    });
    server.listen(0, "127.0.0.1", () => {
      resolve({ address: `http://127.0.0.1:${server.address().port}${path}`, end: () => server.close() });
    });
  });
}
