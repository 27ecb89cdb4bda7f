/** The HTTP application: framework plugins, error handling and all resources. */

import { randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import underPressure from '@fastify/under-pressure';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { OperationId } from '#contract/operations/all.ts';
import type { Config } from '#storage/config.ts';
import { Binder } from './binding/binding.ts';
import { registerBaseAddress } from './http/base-address.ts';
import { registerCors } from './http/cors.ts';
import { registerDocs } from './http/docs.ts';
import { registerMetrics } from './http/metrics.ts';
import { registerPages, sendPage } from './http/pages.ts';
import { Problem, toProblem } from './http/problem.ts';
import { answerClientError } from './http/refuse-connection.ts';
import { listMethods } from './http/routes-of-contract.ts';
import { headerLimits, registerBodyLimit, registerTooLarge } from './http/slow-requests.ts';
import { parseJsonBody } from './http/text-body.ts';
import { resources } from './resources.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: OperationId;
  }
}

const BODY_LIMIT = 1024 * 1024;

/** Headers that a route may have set before it failed; with them, a browser would cache the problem for a day. */
const headersOfContent = ['etag', 'last-modified', 'content-disposition', 'content-length'];

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  for (const name of headersOfContent) reply.removeHeader(name);
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .headers(problem.extras.headers ?? {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(problem.body()));
}

// The service itself delivers all files, wherever they are stored, so no other origin is needed.
const csp = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
  workerSrc: ["'self'", 'blob:'],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'", 'blob:', 'data:'],
  objectSrc: ["'none'"],
  baseUri: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  upgradeInsecureRequests: null,
};

async function registerPlugins(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(compress, {
    threshold: 1024,
    // In order of speed: compressed sizes of lists differ by only 3 %, and each response is compressed just once.
    encodings: ['zstd', 'br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: csp },
    strictTransportSecurity: services.config.publicUrl?.startsWith('https:') ?? false,
    // The kernels share memory between threads, which browsers allow only on isolated pages.
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginEmbedderPolicy: { policy: 'credentialless' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  await app.register(underPressure, {
    // No limit on the event loop delay: a worker that uses all cores delays it without anything being wrong,
    // and refusing requests would not help.
    maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * 0.9),
    retryAfter: 5,
    exposeStatusRoute: false,
  });
  await registerPages(app);
}

function registerBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(String(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  // The bytes of an upload stay in the socket, for the receiver.
  app.addContentTypeParser('application/offset+octet-stream', (_request, _payload, done) => done(null));
}

function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem) return sendProblem(reply, problem);
    request.log.error({ err: error, operationId: request.routeOptions.config.operationId }, 'request failed');
    return sendProblem(
      reply,
      new Problem('INTERNAL', `internal error; the log has the details under request id ${request.id}`),
    );
  });
  app.setNotFoundHandler((request, reply) => {
    const [urlPath = ''] = request.url.split('?');
    const isInterface = urlPath === '/api' || urlPath.startsWith('/api/');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = !isInterface && isRead ? sendPage(request, reply) : undefined;
    if (page) return page;
    const methods = isInterface || isRead ? listMethods(urlPath) : ['GET', 'HEAD'];
    if (methods.length > 0) {
      const detail = `${urlPath} does not support ${request.method}; it supports ${methods.join(', ')}`;
      const headers = { allow: methods.join(', ') };
      return sendProblem(reply, new Problem('METHOD_NOT_ALLOWED', detail, { headers }));
    }
    return sendProblem(
      reply,
      new Problem('NOT_FOUND', 'this path does not exist; /api/docs lists all paths'),
    );
  });
}

/** Number of trusted proxies, counted from this service; entries left of them in X-Forwarded-For may be forged. */
const trustedProxies = (setting: Config['trustProxy']) =>
  typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;

/** The caller's request id, if it fits into a log line and a header. */
const keptRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && /^[\w.:+/=@-]{1,128}$/.test(header) ? header : undefined;

/** The application, ready to listen or to receive requests by `inject`. */
export async function buildApp(services: Services): Promise<FastifyInstance> {
  const server = Fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    genReqId: (request) => keptRequestId(request.headers['x-request-id']) ?? randomUUID(),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(services.config.trustProxy),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    forceCloseConnections: true,
    http: headerLimits(services.config.requestTimeoutSeconds),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => {
      sendProblem(
        reply as unknown as FastifyReply,
        toProblem(error) ?? new Problem('NOT_FOUND', error.message),
      );
    },
  });
  registerBodyLimit(server, services.config);
  registerTooLarge(server);
  registerBaseAddress(server, services.config);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
  });
  registerCors(server, services.config.corsOrigins);
  server.addHook('onResponse', async (request, reply) => {
    request.log.debug(
      {
        method: request.method,
        url: request.url.split('?')[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
  registerErrors(server);
  await registerPlugins(server, services);
  registerBodies(server);
  registerMetrics(server, services);
  registerDocs(server);
  const binder = new Binder({ app: server, db: services.db });
  for (const bindRoutes of resources) bindRoutes(binder, services);
  binder.requireAll();
  return server;
}
