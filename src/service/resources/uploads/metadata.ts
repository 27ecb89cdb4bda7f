/** Parses the tus header Upload-Metadata, sent before the first byte of a file. */

import { z } from 'zod';
import { fileDataKinds } from '#contract/analyses/data-kinds.ts';
import { readImportHints } from '#contract/shapes/import-hints.ts';
import { RetryInput } from '#contract/shapes/operation.ts';
import { toOneLine } from '#contract/shapes/organization.ts';
import { invalidField } from '../../http/problem.ts';
import { isStorable } from '../../http/text-body.ts';
import { parseInput } from '../../http/validate.ts';

const MAX_NAME_LENGTH = 255;

export interface UploadMetadata {
  projectId: string;
  fileName: string;
  mediaType: string | null;
  /** all entries, as text */
  texts: Record<string, string>;
}

/** Parses `key base64,key base64`; a key without a value is an empty string. */
function parseHeader(header: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const pair of header.split(',')) {
    const [key = '', encoded = '', ...rest] = pair.trim().split(' ');
    if (
      key === '' ||
      rest.length > 0 ||
      !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) ||
      !/^[\x21-\x7e]+$/.test(key)
    )
      throw invalidField(
        'Upload-Metadata',
        'must be pairs of a name and a base64 value, separated by commas',
      );
    if (key === '__proto__' || Object.hasOwn(texts, key))
      throw invalidField('Upload-Metadata', `has ${key} twice`);
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    if (!isStorable(text) || text.includes('\ufffd')) throw invalidField(key, 'is not UTF-8 text');
    texts[key] = text;
  }
  return texts;
}

/** @throws Problem VALIDATION_FAILED or INVALID_UUID naming the field */
export function readMetadata(header: string | undefined): UploadMetadata {
  const texts = header ? parseHeader(header) : {};
  const { projectId, kind } = texts;
  if (!projectId) throw invalidField('projectId', 'is missing in Upload-Metadata');
  if (!z.guid().safeParse(projectId).success) throw invalidField('projectId', 'is not a UUID');
  const fileName = toOneLine((texts['filename'] ?? texts['name'] ?? '').replace(/^.*[\\/]/s, ''));
  if (fileName === '' || fileName === '.' || fileName === '..')
    throw invalidField('filename', 'is missing in Upload-Metadata');
  if (fileName.length > MAX_NAME_LENGTH)
    throw invalidField('filename', `must be at most ${MAX_NAME_LENGTH} characters long`);
  if (kind && !(fileDataKinds as readonly string[]).includes(kind))
    throw invalidField('kind', `must be one of ${fileDataKinds.join(', ')}`);
  // Validated here, so that mistakes are reported before the upload starts.
  parseInput(RetryInput, readImportHints(texts), 'body');
  const type = texts['filetype'] ?? '';
  const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : null;
  return { projectId: projectId.toLowerCase(), fileName, mediaType, texts };
}
