/** Under which address this service calls itself in its answers: signed addresses, pages of lists, links in mails. */
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#storage/config.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** without a slash at its end; made of the Host header only where that names a known host */
    baseAddress: string;
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Host and port as a header says them; undefined for what is more or less than that. */
function parseHost(text: string): { name: string; host: string } | undefined {
  if (!URL.canParse(`http://${text}`)) return undefined;
  const { host, hostname: name, href } = new URL(`http://${text}`);
  return href === `http://${host}/` ? { name, host } : undefined;
}

/**
 * Whoever writes a Host header would otherwise decide where the links lead that this service hands out. Without
 * PUBLIC_URL the header counts where it names this machine: loopback, HOST, the machine's name, the address that the
 * connection came in on, or one of ALLOWED_HOSTS.
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
