import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { listPages, precompress } from './src/web/build/served-files.ts';
import { doorPages } from './src/web/door-pages.ts';

/** Where the development server finds the service; the built page is served by the service itself. */
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';

/**
 * Browsers that know `light-dark()`. For older ones it would be rewritten to two variables that only style sheets which
 * set `color-scheme` themselves define, and a colour of the viewer's would be none.
 */
const cssTarget = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

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
      // All that the sign-in page needs in one file: few files arrive sooner than many.
      output: { codeSplitting: { groups: [{ name: 'sign-in', tags: ['$initial'] }] } },
    },
  },
  worker: { format: 'es' },
  // The host stays the browser's, so that addresses which the service makes lead through this server too.
  server: { port: 5173, proxy: { '/api': { target: service, changeOrigin: false } } },
});
