/** Files that the build writes for the service: the list of pages, and compressed copies of each file. */
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files are sent uncompressed. */
const SMALLEST = 1024;
const compressible = /\.(js|css|html|svg|json|wasm)$/;

/**
 * Writes the paths of all routes (`/projects/$projectId`) and of the other pages to pages.json; the service responds
 * with 404 to any other path.
 */
export function listPages(routeTree: string, others: readonly string[]): Plugin {
  return {
    name: 'list-pages',
    apply: 'build',
    generateBundle() {
      const [, table] =
        /interface FileRoutesByFullPath \{([^}]*)\}/.exec(readFileSync(routeTree, 'utf8')) ?? [];
      const paths = [...(table ?? '').matchAll(/'([^']+)':/g)].map(([, route = '']) =>
        route.replace(/(.)\/$/, '$1'),
      );
      if (paths.length === 0) this.error(`${routeTree} names no route`);
      const source = JSON.stringify([...new Set([...paths, ...others])].sort());
      this.emitFile({ type: 'asset', fileName: 'pages.json', source });
    },
  };
}

/** Brotli's highest level, 11, takes 2.4 times the time of level 10 for 2 % less. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Compresses each file once. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name);
        if (!entry.isFile() || !compressible.test(entry.name)) continue;
        const bytes = await readFile(file);
        if (bytes.length < SMALLEST) continue;
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, brotli));
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}
