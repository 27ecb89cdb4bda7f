import { resolve } from 'node:path';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { listPages, precompress } from './src/web/build/served-files.ts';
import { doorPages } from './src/web/door-pages.ts';

/** Where the development server finds the service; the built page is served by the service itself. */
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';

/**
 * Browsers that know `light-dark()`. For older ones it would be rewritten to two variables that only style sheets which
 * set `color-scheme` themselves define, and a colour of the viewer's would be none.
 */
const cssTarget = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** The modules of the dashboard that a page of any route imports: the app and the frame around its pages. */
const findFrame = (ctx: Rolldown.ChunkingContext): Set<string> => {
  const starts = ['src/web/app.tsx', 'src/web/routes/_app.tsx?tsr-split=component'];
  const found = new Set(starts.map((each) => resolve(import.meta.dirname, each)));
  for (const id of found) for (const next of ctx.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
};
let frame: Set<string> | undefined;
const nameFrame = (id: string, ctx: Rolldown.ChunkingContext) => {
  frame ??= findFrame(ctx);
  return frame.has(id) ? 'frame' : null;
};

export default defineConfig({
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: 'src/web/routes',
      generatedRouteTree: 'src/web/routeTree.gen.ts',
      quoteStyle: 'single',
    }),
    react(),
    listPages('src/web/routeTree.gen.ts', doorPages),
    precompress(),
  ],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // What pages share would bear the names of all of them.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.includes('~') ? name.split('~')[0] : '[name]'}-[hash][extname]`,
        // Few files arrive sooner than many, as long as no page waits for much that only others need.
        codeSplitting: {
          groups: [
            { name: 'sign-in', tags: ['$initial'], priority: 3 },
            { name: nameFrame, debugName: 'frame', priority: 2 },
            // What most pages have in common.
            { name: 'shell', minShareCount: 9, priority: 1 },
            // What some have: small pieces join the one that most of the same pages need. The viewer and the formats, which
            // are large, stay as they are.
            {
              name: 'shared',
              test: /node_modules[\\/]@|src[\\/](contract|web[\\/](api|features|ui))[\\/]/,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 20_000,
            },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  // The host stays the browser's, so that addresses which the service makes lead through this server too.
  server: { port: 5173, proxy: { '/api': { target: service, changeOrigin: false } } },
});
