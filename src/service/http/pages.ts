/** Serves the dashboard: files with a hash in their name are cached forever, index.html is always revalidated. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'web');

/** List of the dashboard's routes, such as `/projects/$projectId`, written by its build. */
const listing = path.join(folder, 'pages.json');
let known: { text: string; pages: RegExp[] } | undefined;

/** Reads the routes, again after a rebuild. @returns undefined when the dashboard is not built */
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
 * Responds to a path outside of the interface with a file of the dashboard or its page. For an unknown path, browsers get
 * the page with status 404, which shows that nothing was found.
 *
 * Not async: awaiting a reply waits until it is sent and then yields undefined, which would be read as "no page".
 *
 * @returns undefined for an unknown path requested by a program
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
  // Don't send the page for a missing script: the browser would try to run it.
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
