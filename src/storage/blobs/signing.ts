/**
 * Addresses that work without further headers and expire: the service signs what may be read, under which
 * name, and until when, and reads the file to whoever brings the signature.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { withoutInvisible } from './file-name.ts';

export interface SignedFile {
  /** what may be read, in words of the service, such as dataObjectFile/<uuid> */
  subject: string;
  /** the name that the download is saved under */
  fileName: string;
  expiresAt: Date;
}

export interface Signature {
  /** seconds since 1970 */
  expires: string;
  /** base64url */
  signature: string;
}

export type SignatureVerdict = 'valid' | 'expired' | 'invalid';

const hmac = (secret: Uint8Array, parts: string[]): Buffer =>
  // Lengths first, so that no two lists of parts give the same text.
  createHmac('sha256', secret)
    .update(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
    .digest();

/** The two query values to append to the address. */
export function signFile(secret: Uint8Array, file: SignedFile): Signature {
  const expires = String(Math.floor(file.expiresAt.getTime() / 1000));
  return { expires, signature: hmac(secret, [file.subject, file.fileName, expires]).toString('base64url') };
}

/** `expired` only for a signature that was right once; anything forged or damaged is `invalid`. */
export function verifyFile(
  secret: Uint8Array,
  file: { subject: string; fileName: string } & Signature,
  now = new Date(),
): SignatureVerdict {
  const expected = hmac(secret, [file.subject, file.fileName, file.expires]);
  const given = Buffer.from(file.signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'invalid';
  return Number(file.expires) * 1000 > now.getTime() ? 'valid' : 'expired';
}

/** `attachment` with a plain name for old clients and the full one by RFC 6266 and RFC 8187. */
export function contentDisposition(fileName: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const shown = withoutInvisible(fileName);
  const plain = shown.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(shown).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === shown
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${full}`;
}
