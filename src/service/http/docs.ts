/** The OpenAPI document and a page that displays it, without resources from other hosts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { openApiText } from '#contract/openapi.ts';

const files = [
  { url: '/api/docs', file: 'page.html', type: 'text/html; charset=utf-8' },
  { url: '/api/docs/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
  { url: '/api/docs/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
];

export function registerDocs(app: FastifyInstance): void {
  // Built on the first request, because building takes three quarters as long as the rest of the start.
  let document: string | undefined;
  app.get('/api/openapi.json', (_request, reply) => {
    document ??= openApiText();
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(document);
  });
  for (const { url, file, type } of files) {
    const text = readFileSync(path.join(import.meta.dirname, 'docs', file), 'utf8');
    app.get(url, (_request, reply) => reply.header('cache-control', 'no-cache').type(type).send(text));
  }
}
