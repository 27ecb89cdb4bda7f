/** Passwords are stored as argon2id hashes in PHC format (RFC 9106), computed on a thread of libuv's pool. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';

export interface PasswordCost {
  /** KiB */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's choice for servers: 19 MiB, two passes, one lane. https://cheatsheetseries.owasp.org */
export const owaspCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
let cost = owaspCost;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = (parameters: Argon2Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Sets the cost of new hashes. For tests, in which a thousand hashes would otherwise take a minute. */
export function setPasswordCost(next: PasswordCost): void {
  cost = next;
  decoy = undefined;
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const { memory, passes, parallelism } = cost;
  const tag = await derive({ message: password.normalize('NFC'), nonce, tagLength: TAG_BYTES, ...cost });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/** Hash to compare with for an unknown account, so that the response takes as long as for a wrong password. */
let decoy: Promise<string> | undefined;

/** Whether the password matches the hash; `null` takes equally long and never matches. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const parts = PHC.exec(hash ?? (await decoy));
  if (!parts) return false;
  const [, memory, passes, parallelism, nonce = '', tag = ''] = parts;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive({
    message: password.normalize('NFC'),
    nonce: Buffer.from(nonce, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(actual, expected) && hash !== null;
}
