/** Signed URLs of stored files, which work without further headers and expire; they contain what they allow. */
import type { FileSource } from '#storage/access/access.ts';
import { contentDisposition, signFile, verifyFile } from '#storage/blobs/signing.ts';
import { Problem } from './problem.ts';

export interface StoredFile {
  /** key in the blob store; never rewritten, so it also serves as ETag */
  key: string;
  fileName: string;
  mediaType: string;
  /** displayed by the browser instead of saved */
  inline?: boolean;
}

/** The user whose rights a signed URL depends on, and the source of the file. */
export interface FileRight {
  userId: string;
  source: FileSource;
}

/** Creates a URL of a file for one caller; it expires, and ends with the caller's access to the source. */
export type SignAddress = (file: StoredFile, source: FileSource, lifetimeMs?: number) => string;

const HOUR_MS = 3_600_000;
/** Expiry times are rounded up, so that a file keeps its URL for a while and browsers can cache it. */
const STEP_MS = HOUR_MS / 4;
const PICTURE_STEP_MS = 12 * HOUR_MS;

type Subject = [key: string, mediaType: string, inline: 0 | 1, userId: string, source: FileSource];

/** Signs and verifies the URLs below /api/files. */
export class AddressSigner {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Returns a function that signs URLs with the caller's rights, under the base address of the request. */
  for({ userId }: { userId: string }, { baseAddress }: { baseAddress: string }): SignAddress {
    return (file, source, lifetimeMs) => this.#address(baseAddress, file, { userId, source }, lifetimeMs);
  }

  #address(base: string, file: StoredFile, { userId, source }: FileRight, lifetimeMs = HOUR_MS): string {
    const step = file.inline ? PICTURE_STEP_MS : STEP_MS;
    const expiresAt = new Date((Math.ceil(Date.now() / step) + 1) * step + lifetimeMs);
    const content: Subject = [file.key, file.mediaType, file.inline ? 1 : 0, userId, source];
    const subject = Buffer.from(JSON.stringify(content)).toString('base64url');
    const { expires, signature } = signFile(this.#secret, { subject, fileName: file.fileName, expiresAt });
    return `${base}/api/files/${subject}.${expires}.${signature}/${encodeURIComponent(file.fileName)}`;
  }

  /** @throws Problem NOT_FOUND for a modified or expired URL */
  open(token: string, fileName: string): StoredFile & FileRight & { disposition: string; expiresAt: Date } {
    const [subject = '', expires = '', signature, ...rest] = token.split('.');
    if (signature === undefined || rest.length > 0 || !/^\d{1,12}$/.test(expires))
      throw new Problem('NOT_FOUND', 'this is not a file address');
    const verdict = verifyFile(this.#secret, { subject, fileName, expires, signature });
    if (verdict === 'invalid') throw new Problem('NOT_FOUND', 'this is not a file address');
    if (verdict === 'expired') throw new Problem('NOT_FOUND', 'the address has expired; request a new one');
    const content = JSON.parse(Buffer.from(subject, 'base64url').toString()) as Subject;
    // URLs of an earlier version contain no user.
    if (content.length < 5) throw new Problem('NOT_FOUND', 'the address has expired; request a new one');
    const [key, mediaType, inline, userId, source] = content;
    const disposition = contentDisposition(fileName, inline === 1 ? 'inline' : 'attachment');
    return {
      key,
      fileName,
      mediaType,
      inline: inline === 1,
      userId,
      source,
      disposition,
      expiresAt: new Date(Number(expires) * 1000),
    };
  }
}
