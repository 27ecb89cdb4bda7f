/** Allows a dashboard on another origin to use the service if CORS_ORIGINS names that origin. */
import type { FastifyInstance } from 'fastify';

const exposed = [
  'ETag',
  'Location',
  'Retry-After',
  'X-Request-Id',
  'X-Dimensions',
  'X-Spacing-Mm',
  'X-Data-Type',
  'X-Origin-Mm',
  'Content-Disposition',
  'Content-Range',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Expires',
  'Upload-Metadata',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
].join(', ');

export function registerCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return;
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed,
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'Origin',
    });
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply.headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
        'access-control-max-age': '600',
      });
      return reply.code(204).send();
    }
  });
}
