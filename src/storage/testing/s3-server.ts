/**
 * An in-memory S3 server with the features that the adapter uses, on its own port. Like a real store, it refuses missing or
 * wrong credentials, bodies that differ from the signed ones, and parts that are too small.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3TestServer {
  endpoint: string;
  /** method and path of every request, oldest first */
  requests: string[];
  /** number of multipart uploads neither completed nor aborted */
  openUploads(): number;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

const MIN_PART_BYTES = 5 * 1024 * 1024;
const PAGE = 3;
const failure = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code></Error>`,
});

export async function startS3Server(bucket: string, accessKeyId: string): Promise<S3TestServer> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];

  function answer(request: IncomingMessage, body: Buffer): Answer {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    const credential = /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(
      request.headers.authorization ?? '',
    )?.[1];
    if (credential !== accessKeyId) return failure(403, 'InvalidAccessKeyId');
    const signed = request.headers['x-amz-content-sha256'];
    if (
      signed &&
      signed !== 'UNSIGNED-PAYLOAD' &&
      signed !== createHash('sha256').update(body).digest('hex')
    ) {
      return failure(400, 'XAmzContentSHA256Mismatch');
    }
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) return failure(404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key === '') return list(url.searchParams);
    const uploadId = url.searchParams.get('uploadId');
    switch (request.method) {
      case 'PUT':
        return uploadId
          ? putPart(uploadId, Number(url.searchParams.get('partNumber')), body)
          : putObject(key, body);
      case 'POST':
        return uploadId ? complete(key, uploadId) : begin(key);
      case 'DELETE':
        if (uploadId) uploads.delete(uploadId);
        else objects.delete(key);
        return { status: 204 };
      default:
        return getObject(key, request);
    }
  }

  function putObject(key: string, body: Buffer): Answer {
    objects.set(key, body);
    return { status: 200, headers: { ETag: '"1"' } };
  }

  function begin(key: string): Answer {
    const id = `upload-${uploads.size + 1}-${requests.length}`;
    uploads.set(id, new Map());
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  function putPart(id: string, part: number, body: Buffer): Answer {
    const parts = uploads.get(id);
    if (!parts) return failure(404, 'NoSuchUpload');
    parts.set(part, body);
    return { status: 200, headers: { ETag: `"${part}"` } };
  }

  function complete(key: string, id: string): Answer {
    const parts = uploads.get(id);
    if (!parts) return failure(404, 'NoSuchUpload');
    const ordered = [...parts].sort(([a], [b]) => a - b).map(([, body]) => body);
    if (ordered.slice(0, -1).some((body) => body.length < MIN_PART_BYTES))
      return failure(400, 'EntityTooSmall');
    uploads.delete(id);
    objects.set(key, Buffer.concat(ordered));
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"1"</ETag></CompleteMultipartUploadResult>`,
    };
  }

  function getObject(key: string, request: IncomingMessage): Answer {
    const found = objects.get(key);
    if (!found) return failure(404, 'NoSuchKey');
    const headers: Record<string, string> = { 'Last-Modified': new Date(0).toUTCString(), ETag: '"1"' };
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (!range) {
      return { status: 200, headers: { ...headers, 'Content-Length': String(found.length) }, body: found };
    }
    const [start, end] = [Number(range[1]), range[2] === '' ? found.length : Number(range[2]) + 1];
    if (start >= found.length) return failure(416, 'InvalidRange');
    return { status: 206, headers, body: found.subarray(start, end) };
  }

  function list(query: URLSearchParams): Answer {
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort();
    const page = keys.slice(0, PAGE);
    const isTruncated = keys.length > PAGE;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return {
      status: 200,
      body: `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`,
    };
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { status, headers, body } = answer(request, Buffer.concat(parts));
      response.writeHead(status, headers);
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    openUploads: () => uploads.size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
