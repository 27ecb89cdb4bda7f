/** Serves the dashboard: files with a hash in their name for ever, index.html always fresh. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'web');

/** Whether a built page is there to serve. */
const isBuilt = (): boolean => existsSync(path.join(folder, 'index.html'));

export async function registerPages(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const isImmutable = file.startsWith(path.join(folder, 'assets') + path.sep);
      reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

/** Answers a path that is no part of the interface: a file of the page, or the page itself. */
export async function sendPage(reply: FastifyReply, urlPath: string): Promise<FastifyReply> {
  if (!isBuilt()) {
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The dashboard is not built yet: run npm run build, or npm start, which does it.\n');
  }
  const decoded = decode(urlPath);
  if (decoded !== undefined && /\.[a-z0-9]+$/i.test(decoded)) {
    const file = path.join(folder, path.normalize(decoded));
    if (file.startsWith(folder + path.sep) && existsSync(file))
      return reply.sendFile(path.relative(folder, file));
    // A missing script must not be answered with a page: the browser would try to run it.
    if (decoded.startsWith('/assets/')) return reply.code(404).type('text/plain').send('no such file\n');
  }
  return reply.sendFile('index.html');
}

function decode(urlPath: string): string | undefined {
  try {
    const decoded = decodeURIComponent(urlPath);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
