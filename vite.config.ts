import { resolve } from 'node:path';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { listPages, precompress } from './src/web/build/served-files.ts';
import { doorPages } from './src/web/door-pages.ts';

/** Where the development server finds the service; the built page is served by the service itself. */
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';

/**
 * Browsers that support `light-dark()`. For older ones it would be rewritten to two variables that only style sheets
 * with a `color-scheme` of their own define, so colours of the viewer would be missing.
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
        // Shared chunks would otherwise be named after all of their pages.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.includes('~') ? name.split('~')[0] : '[name]'}-[hash][extname]`,
        // Few files load faster than many, as long as no page loads much that only others need.
        codeSplitting: {
          groups: [
            { name: 'sign-in', tags: ['$initial'], priority: 3 },
            { name: nameFrame, debugName: 'frame', priority: 2 },
            // Code of most pages.
            { name: 'shell', minShareCount: 9, priority: 1 },
            // Code of some pages: small chunks are merged with the one that most of the same pages need. The viewer and
            // the formats are large and remain separate.
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
  // Keeps the browser's host, so that URLs created by the service also lead through this server.
  server: { port: 5173, proxy: { '/api': { target: service, changeOrigin: false } } },
});
