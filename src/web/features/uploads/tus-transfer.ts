/** One resumable transfer by the tus protocol, told in the words of upload-state. */
import { DetailedError, Upload } from 'tus-js-client';
import { authorization, serviceAddress } from '#web/api/session-token.ts';

/** Small enough for what stands in front of a service, large enough not to matter. */
const chunkBytes = 32 * 2 ** 20;
const worthAnotherTry = [408, 409, 423, 429, 502, 503, 504];

export interface TransferEvents {
  onProgress: (sentBytes: number) => void;
  /** no answer, or one that says “later”; start again after a while */
  onConnectionLost: (reason: string) => void;
  /** another try would end the same way */
  onRefused: (reason: string) => void;
  onArrived: (uploadId: string) => void;
}

export interface Transfer {
  /** begins, or goes on where it stopped */
  start: () => Promise<void>;
  /** stops sending; the service keeps what it has */
  pause: () => Promise<void>;
  /** stops sending and has the service forget what it has */
  discard: () => Promise<void>;
}

/** What the service said, or the best that can be said without. */
function readReason(error: DetailedError): { status: number; reason: string } {
  const status = error.originalResponse?.getStatus() ?? 0;
  try {
    const body = JSON.parse(error.originalResponse?.getBody() ?? '');
    if (typeof body.detail === 'string') return { status, reason: body.detail };
  } catch {
    // No problem body: something in front of the service answered.
  }
  return {
    status,
    reason:
      status === 0
        ? 'The service does not answer; the upload continues when it does.'
        : `The service answered ${status} to the upload.`,
  };
}

const parseUploadId = (url: string | null): string => (url ?? '').replace(/\/+$/, '').split('/').at(-1) ?? '';

/**
 * @param metadata of the upload; text only
 * @param uploadId one that the service already has a part of; null begins a new one, or finds the one that this
 *   browser remembers for the same file, project and metadata
 */
export function createTransfer(
  file: File,
  metadata: Record<string, string>,
  uploadId: string | null,
  events: TransferEvents,
): Transfer {
  const endpoint = `${serviceAddress}/api/v2/uploads`;
  const upload = new Upload(file, {
    endpoint,
    uploadUrl: uploadId === null ? null : `${endpoint}/${uploadId}`,
    metadata,
    chunkSize: chunkBytes,
    // Tries are counted and shown by the queue.
    retryDelays: null,
    removeFingerprintOnSuccess: true,
    fingerprint: async () =>
      ['scanwright', serviceAddress, file.name, file.size, file.lastModified, JSON.stringify(metadata)].join(
        ':',
      ),
    onBeforeRequest: (request) => {
      const token = authorization();
      if (token !== undefined) request.setHeader('Authorization', token);
    },
    // A proxy in front may not have told the service under which name it is called: stay with the name that worked.
    onUploadUrlAvailable: () => {
      upload.url = `${endpoint}/${parseUploadId(upload.url)}`;
    },
    onProgress: (sent) => events.onProgress(sent),
    onSuccess: () => events.onArrived(parseUploadId(upload.url)),
    onError: (error) => {
      if (!(error instanceof DetailedError)) {
        events.onRefused(`${file.name} can’t be read any more: ${error.message}. Choose the file again.`);
        return;
      }
      const { status, reason } = readReason(error);
      if (status === 0 || worthAnotherTry.includes(status)) events.onConnectionLost(reason);
      else events.onRefused(reason);
    },
  });
  let begun = false;
  return {
    start: async () => {
      if (!begun && uploadId === null) {
        const [previous] = await upload.findPreviousUploads();
        if (previous) upload.resumeFromPreviousUpload(previous);
      }
      begun = true;
      upload.start();
    },
    pause: () => upload.abort(false),
    discard: () => upload.abort(true),
  };
}
