/** What a client says of a file before it sends the first byte: the tus header Upload-Metadata. */

import { z } from 'zod';
import { dataObjectKinds } from '#contract/analyses/kinds.ts';
import { RetryInput } from '#contract/shapes/operation.ts';
import { invalidField } from '../../http/problem.ts';
import { isStorable } from '../../http/text-body.ts';
import { parseInput } from '../../http/validate.ts';

const MAX_NAME_LENGTH = 255;

export interface UploadMetadata {
  projectId: string;
  fileName: string;
  mediaType: string | null;
  /** all of it, as text */
  texts: Record<string, string>;
}

/** `key base64,key base64`; a key without a value is an empty text. */
function parseHeader(header: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const pair of header.split(',')) {
    const [key, encoded = '', ...rest] = pair.trim().split(' ');
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

const vector = (text: string): number[] =>
  text
    .replace(/[[\]\s]/g, '')
    .split(',')
    .map((part) => (part === '' ? Number.NaN : Number(part)));

const numericFields = new Set([
  'headerBytes',
  'sourceToAxisMm',
  'sourceToDetectorMm',
  'pixelSizeMm',
  'totalAngleDeg',
]);

/** The fields that an ingest understands, in their types; so that a slip is told before the bytes flow. */
function checkHints(texts: Record<string, string>): void {
  const hints: Record<string, unknown> = {};
  for (const field of Object.keys(RetryInput.shape)) {
    const text = texts[field];
    if (text === undefined || text === '') continue;
    if (field === 'voxelSizeMm' || field === 'dimensions') {
      const numbers = vector(text);
      hints[field] =
        field === 'voxelSizeMm' && numbers.length === 1 ? [numbers[0], numbers[0], numbers[0]] : numbers;
    } else hints[field] = numericFields.has(field) ? Number(text) : text;
  }
  parseInput(RetryInput, hints, 'body');
}

/** @throws Problem VALIDATION_FAILED or INVALID_UUID naming the field */
export function readMetadata(header: string | undefined): UploadMetadata {
  const texts = header ? parseHeader(header) : {};
  const { projectId, kind } = texts;
  if (!projectId) throw invalidField('projectId', 'is missing in Upload-Metadata');
  if (!z.guid().safeParse(projectId).success) throw invalidField('projectId', 'is not a UUID');
  const fileName = (texts['filename'] ?? texts['name'] ?? '').replace(/^.*[\\/]/s, '').trim();
  if (fileName === '' || fileName === '.' || fileName === '..')
    throw invalidField('filename', 'is missing in Upload-Metadata');
  if (fileName.length > MAX_NAME_LENGTH)
    throw invalidField('filename', `must be at most ${MAX_NAME_LENGTH} characters long`);
  if (kind && !(dataObjectKinds as readonly string[]).includes(kind))
    throw invalidField('kind', `must be one of ${dataObjectKinds.join(', ')}`);
  checkHints(texts);
  const type = texts['filetype'] ?? '';
  const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : null;
  return { projectId: projectId.toLowerCase(), fileName, mediaType, texts };
}
