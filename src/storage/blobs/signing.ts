/**
 * Signed URLs, which work without further headers and expire. The signature covers the subject, the file name and the
 * expiry time; anyone with the URL may read the file.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { withoutInvisible } from './file-name.ts';

export interface SignedFile {
  /** identifies the file within the service, such as dataObjectFile/<uuid> */
  subject: string;
  /** file name of the download */
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
  // Prefixed with lengths, so that different lists of parts never yield the same text.
  createHmac('sha256', secret)
    .update(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
    .digest();

/** The two query values to append to the URL. */
export function signFile(secret: Uint8Array, file: SignedFile): Signature {
  const expires = String(Math.floor(file.expiresAt.getTime() / 1000));
  return { expires, signature: hmac(secret, [file.subject, file.fileName, expires]).toString('base64url') };
}

/** `expired` only for a signature that was once valid; forged or damaged ones are `invalid`. */
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

/** Content-Disposition with an ASCII name for old clients and the full name (RFC 6266, RFC 8187). */
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
