/** Token of the signed-in user, stored in the browser under a key derived from the service's address. */

/** Address of the service without a trailing slash; empty = the origin that served the page. */
export const serviceAddress: string = String(import.meta.env.VITE_API_BASE_URL ?? '').replace(/\/+$/, '');

const storageKey = `scanwright.session:${serviceAddress || 'same-origin'}`;

export interface StoredSession {
  token: string;
  /** ISO 8601 */
  expiresAt: string;
}

/** `refused`: the service no longer accepts the token. */
export type SessionEnd = 'signed out' | 'refused';
type Listener = (session: StoredSession | null, end: SessionEnd) => void;
const listeners = new Set<Listener>();

const read = (): StoredSession | null => {
  const text = localStorage.getItem(storageKey);
  if (text === null) return null;
  try {
    const { token, expiresAt } = JSON.parse(text);
    return typeof token === 'string' && typeof expiresAt === 'string' ? { token, expiresAt } : null;
  } catch {
    return null;
  }
};

const announce = (end: SessionEnd) => {
  const session = read();
  for (const listener of listeners) listener(session, end);
};

export const sessionToken = {
  read,
  /** whether there is a token that has not expired by this computer's clock */
  isPresent: (): boolean => {
    const session = read();
    return session !== null && Date.parse(session.expiresAt) > Date.now();
  },
  write(session: StoredSession): void {
    localStorage.setItem(storageKey, JSON.stringify(session));
    announce('signed out');
  },
  clear(end: SessionEnd): void {
    localStorage.removeItem(storageKey);
    announce(end);
  },
  /** Called at sign-in, at sign-out, when the service refuses the token, and for each of these in another tab. */
  subscribe(listener: Listener): () => void {
    const onStorage = (event: StorageEvent) => {
      if (event.key === storageKey) listener(read(), 'signed out');
    };
    listeners.add(listener);
    window.addEventListener('storage', onStorage);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', onStorage);
    };
  },
};

/** Value of the Authorization header, for requests made without the generated client. */
export const authorization = (): string | undefined => {
  const session = read();
  return session === null ? undefined : `Token ${session.token}`;
};

/**
 * Resolves an address from the service (`/api/files/…`) against the host that the browser uses: the service may know
 * itself under another host name.
 */
export const resolveAddress = (address: string): string => {
  const { pathname, search } = new URL(address, window.location.origin);
  return `${serviceAddress}${pathname}${search}`;
};
