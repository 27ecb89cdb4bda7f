/** Validates tus headers before the tus library does, because its error responses are not problems. */
import type { IncomingMessage } from 'node:http';
import { invalidField, Problem } from '../../http/problem.ts';

/** Headers hidden from the tus library, which refuses unexpected values and does not need them: URLs are created here. */
const withheld = new Set(['x-forwarded-proto', 'tus-version']);
/** Headers of tus extensions that are not supported. */
const notOffered = { 'upload-concat': 'Upload-Concat', 'upload-defer-length': 'Upload-Defer-Length' };
const bytesType = 'application/offset+octet-stream';
const isCount = (text: string | string[] | undefined): text is string =>
  typeof text === 'string' && /^(0|[1-9]\d{0,14})$/.test(text);

function withhold({ headers, rawHeaders }: IncomingMessage, names: ReadonlySet<string>): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!names.has(name)) continue;
    rawHeaders.splice(at, 2);
    delete headers[name];
  }
}

/**
 * Checks a repeated Upload-Length, which the tus library refuses even if it is unchanged.
 * @throws Problem VALIDATION_FAILED when it differs
 */
export function checkSameLength(request: IncomingMessage, sizeBytes: number | null): void {
  const stated = request.headers['upload-length'];
  if (stated !== undefined && Number(stated) !== sizeBytes)
    throw invalidField(
      'Upload-Length',
      `is ${stated}, but the upload was created with ${sizeBytes}; the length of an upload can’t change`,
    );
  withhold(request, new Set(['upload-length']));
}

/** Validates tus headers and removes the hidden ones. @throws Problem VALIDATION_FAILED naming the header; UNSUPPORTED_MEDIA_TYPE */
export function checkProtocol(request: IncomingMessage): void {
  const { method, headers } = request;
  withhold(request, withheld);
  if (headers['tus-resumable'] !== '1.0.0')
    throw invalidField('Tus-Resumable', 'must be 1.0.0: uploads use the tus protocol');
  for (const [name, title] of Object.entries(notOffered))
    if (headers[name] !== undefined) throw invalidField(title, 'is not supported');
  if (method === 'PATCH' && headers['content-type'] !== bytesType)
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', `send the bytes as ${bytesType}`);
  if (method === 'PATCH' && !isCount(headers['upload-offset']))
    throw invalidField('Upload-Offset', 'must be the number of bytes that have arrived');
  if (headers['upload-length'] !== undefined && !isCount(headers['upload-length']))
    throw invalidField('Upload-Length', 'must be the number of bytes of the file');
}
