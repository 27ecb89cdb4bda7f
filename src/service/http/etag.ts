/** ETags of responses. */
import { createHash } from 'node:crypto';

export const makeEtag = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** @param header If-None-Match */
export const etagMatches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
