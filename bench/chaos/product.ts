/** The product while it is killed: its processes, and requests that are retried until they succeed. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signInTo } from '../../e2e/support/client.ts';
import { freePort, type RunningService, startService } from '../../e2e/support/service.ts';

export const victims = ['service', 'worker', 'process', 'database', 'connection', 'everything'] as const;
export type Victim = (typeof victims)[number];

const scripts: Partial<Record<Victim, string>> = {
  service: 'src/service/main.ts',
  worker: 'src/worker/main.ts',
  process: 'src/worker/carry-out-work.ts',
};
/** A user who gets no response for this long gives up, which counts as a loss. */
const PATIENCE_MS = 300_000;
const PAUSE_MS = 100;

/** Options passed to `fetch`. */
type Request = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
};

export class Product {
  /** responses that no request should have received */
  readonly wrongAnswers: string[] = [];
  #service: RunningService;
  readonly #environment: Record<string, string>;
  #token = '';
  #past = '';

  private constructor(service: RunningService, environment: Record<string, string>) {
    this.#service = service;
    this.#environment = { ...environment, DATA_DIR: service.dataDir };
  }

  static async start(): Promise<Product> {
    const environment = { PORT: String(await freePort()), LOG_LEVEL: 'error', WORKERS: '2' };
    const product = new Product(await startService(environment), environment);
    product.#token = (await signInTo(product.#service)).token;
    return product;
  }

  get url(): string {
    return this.#service.url;
  }

  get dataDir(): string {
    return this.#service.dataDir;
  }

  /** log lines of its processes about a request */
  said(id: string): string {
    const lines = (this.#past + this.#service.output()).split('\n');
    return lines.filter((line) => line.includes(id)).join('\n');
  }

  get authorization(): { Authorization: string } {
    return { Authorization: `Token ${this.#token}` };
  }

  /** Connection string of its own processes: a socket in a folder that changes with each full start. */
  get databaseUrl(): string | undefined {
    const [service] = this.#pids('service');
    return /\0DATABASE_URL=([^\0]+)/.exec(`\0${read(`/proc/${service}/environ`)}`)?.[1];
  }

  /** Kills the process immediately. @returns false when it was not running */
  async kill(victim: Victim, random: () => number): Promise<boolean> {
    const found = this.#pids(victim);
    const pids =
      victim === 'everything' ? found : found.slice(Math.floor(random() * found.length)).slice(0, 1);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended together with its parent
      }
    }
    if (victim === 'everything') await this.#start();
    return pids.length > 0;
  }

  /** Stops in an orderly way, then starts again on the same data. */
  async restart(): Promise<void> {
    await this.#service.stop({ keepData: true });
    await this.#start();
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  async #start(): Promise<void> {
    this.#past += this.#service.output();
    this.#service = await startService(this.#environment);
  }

  #pids(victim: Victim): number[] {
    if (victim === 'database' || victim === 'connection') {
      const postmaster = Number(
        read(path.join(this.dataDir, 'postgres', 'data', 'postmaster.pid')).split('\n')[0],
      );
      if (victim === 'database') return postmaster > 0 ? [postmaster] : [];
      const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
      return stdout.split('\n').map(Number).filter(Boolean);
    }
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => read(`/proc/${name}/cmdline`).includes(scripts[victim] ?? ''))
      .filter((name) =>
        (read(`/proc/${name}/environ`) + read(`/proc/${name}/cmdline`)).includes(this.dataDir),
      )
      .map(Number);
  }

  /**
   * Retries until it gets a response, as a client may when a POST carries an idempotency key.
   *
   * @throws Error for a response that refuses the request
   */
  async ask<Answer = Record<string, unknown>>(
    method: string,
    where: string,
    body?: unknown,
  ): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (method === 'POST') headers['Idempotency-Key'] = crypto.randomUUID();
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.send(where, { method, headers, ...text });
    if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }

  /** The first response that does not ask to retry later, with its whole body. */
  async send(where: string, init: Request): Promise<Response> {
    const since = performance.now();
    for (;;) {
      const response = await this.sendOnce(where, init).catch(() => undefined);
      if (response && response.status !== 503) return response;
      if (performance.now() - since > PATIENCE_MS) {
        throw new Error(`${init.method ?? 'GET'} ${where}: no response for ${PATIENCE_MS / 1000} s`);
      }
      await delay(PAUSE_MS);
    }
  }

  /** @throws Error when the connection breaks before the response is complete */
  async sendOnce(where: string, init: Request): Promise<Response> {
    const response = await fetch(new URL(where, this.url), {
      ...init,
      headers: { ...this.authorization, ...init.headers },
      signal: AbortSignal.timeout(60_000),
    });
    const bytes = [204, 304].includes(response.status) ? null : await response.arrayBuffer();
    const { status, headers } = response;
    if (status >= 500 && status !== 503) {
      // The log with the reason arrives through another pipe than the response.
      await delay(PAUSE_MS);
      const said = this.said(headers.get('x-request-id') ?? 'no id');
      this.wrongAnswers.push(`${init.method ?? 'GET'} ${where.slice(0, 120)}: ${status}\n${said}`);
    }
    return new Response(bytes, { status, headers });
  }
}
