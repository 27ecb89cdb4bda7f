/** Serves the dashboard: files with a hash in their name for ever, index.html always fresh. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'web');

/** Paths of the dashboard's routes, such as `/projects/$projectId`, as its build lists them. */
const listing = path.join(folder, 'pages.json');
let known: { text: string; pages: RegExp[] } | undefined;

/** Read again when the dashboard is built anew. @returns undefined when none is built */
function readPages(): RegExp[] | undefined {
  if (!existsSync(listing)) return undefined;
  const text = readFileSync(listing, 'utf8');
  if (known?.text === text) return known.pages;
  const pages = (JSON.parse(text) as string[]).map(
    (route) => new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/\$\w+/g, '[^/]+')}/?$`),
  );
  known = { text, pages };
  return pages;
}

export async function registerPages(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply, file) => {
      const isImmutable = file.startsWith(path.join(folder, 'assets') + path.sep);
      reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

/**
 * Answers a path that is no part of the interface: a file of the dashboard, or its page. A path that is neither is not
 * found; who reads it in a browser sees that on the page.
 *
 * Not async: awaiting a reply waits until it is sent and then gives nothing, which would read as "no page".
 *
 * @returns undefined for a path that is nothing, asked for by a program
 */
export function sendPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const pages = readPages();
  if (pages === undefined) {
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The dashboard is not built yet: run npm run build, or npm start, which does it.\n');
  }
  const [urlPath = ''] = request.url.split('?');
  const decoded = decode(urlPath);
  if (decoded !== undefined && /\.[a-z0-9]+$/i.test(decoded)) {
    const file = path.join(folder, path.normalize(decoded));
    if (file.startsWith(folder + path.sep) && file !== listing && existsSync(file))
      return reply.sendFile(path.relative(folder, file));
  }
  if (decoded !== undefined && pages.some((page) => page.test(decoded))) return reply.sendFile('index.html');
  // A missing script must not be answered with a page: the browser would try to run it.
  const readsPages = request.headers.accept?.includes('text/html') && !decoded?.startsWith('/assets/');
  return readsPages ? reply.code(404).sendFile('index.html') : undefined;
}

function decode(urlPath: string): string | undefined {
  try {
    const decoded = decodeURIComponent(urlPath);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
