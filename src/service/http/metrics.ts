/** Prometheus metrics of the service, readable from the machine itself and by managers. */

import { and, eq } from 'drizzle-orm';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { organizationMembers } from '#storage/db/schema-accounts.ts';
import { countWork } from '#storage/work/queue.ts';
import type { Services } from '../services.ts';
import { Problem } from './problem.ts';
import { authenticate } from './session.ts';

const loopback = /^(127\.|::1$|::ffff:127\.)/;

async function mayRead(services: Services, request: FastifyRequest): Promise<boolean> {
  if (!services.config.trustProxy && loopback.test(request.ip)) return true;
  const caller = await authenticate(services.db, request.headers.authorization, request.ip);
  const rows = await services.db
    .select({ id: organizationMembers.id })
    .from(organizationMembers)
    .where(and(eq(organizationMembers.userId, caller.userId), eq(organizationMembers.isManager, true)))
    .limit(1);
  return rows.length > 0;
}

export function registerMetrics(app: FastifyInstance, services: Services): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'scanwright_http_request_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  new Gauge({
    name: 'scanwright_work',
    help: 'Pieces of work that wait and that run, by kind',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { kind, waiting, active } of await countWork(services.db)) {
        this.set({ kind, state: 'waiting' }, waiting);
        this.set({ kind, state: 'active' }, active);
      }
    },
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operationId ?? 'other';
    seconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
  app.get('/metrics', async (request, reply) => {
    if (!(await mayRead(services, request)))
      throw new Problem('PERMISSION_DENIED', 'metrics are available to managers, and on the machine itself');
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
