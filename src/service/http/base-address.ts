/** Base URL of this service in responses: signed addresses, list pages, links in emails. */
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#storage/config.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** without a trailing slash; taken from the Host header only if that names a known host */
    baseAddress: string;
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Parses host and port from a header; undefined when the text is anything else. */
function parseHost(text: string): { name: string; host: string } | undefined {
  if (!URL.canParse(`http://${text}`)) return undefined;
  const { host, hostname: name, href } = new URL(`http://${text}`);
  return href === `http://${host}/` ? { name, host } : undefined;
}

/**
 * Prevents a forged Host header from determining where links of this service lead. Without PUBLIC_URL, the header is used
 * only if it names this machine: loopback, HOST, the machine's name, the local address of the connection, or one of
 * ALLOWED_HOSTS.
 */
export function registerBaseAddress(
  app: FastifyInstance,
  { publicUrl, host, port, allowedHosts }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'allowedHosts'>,
): void {
  const machine = hostname().toLowerCase();
  const known = new Set([
    ...loopback,
    bracketed(host.toLowerCase()),
    machine,
    `${machine}.local`,
    ...allowedHosts,
  ]);
  const readBase = (request: FastifyRequest): string => {
    if (publicUrl !== undefined) return publicUrl;
    const protocol = request.protocol === 'https' ? 'https' : 'http';
    const { localAddress, localPort = port } = request.socket;
    const own = bracketed((localAddress ?? host).replace(/^::ffff:/i, ''));
    const named = parseHost(request.host);
    const isKnown = named !== undefined && (known.has(named.name) || named.name === own);
    return `${protocol}://${isKnown ? named.host : `${own}:${localPort}`}`;
  };
  app.decorateRequest('baseAddress', '');
  app.addHook('onRequest', async (request) => {
    request.baseAddress = readBase(request);
  });
}
