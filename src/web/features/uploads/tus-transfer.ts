/** One resumable transfer by the tus protocol, reported as events of upload-state. */
import { DetailedError, Upload } from 'tus-js-client';
import { authorization, serviceAddress } from '#web/api/session-token.ts';

/** Small enough for the limits of proxies, large enough to cost no time. */
const chunkBytes = 32 * 2 ** 20;
const worthAnotherTry = [408, 409, 423, 429, 502, 503, 504];

export interface TransferEvents {
  onProgress: (sentBytes: number) => void;
  /** no response, or one that asks to try later; start again after a pause */
  onConnectionLost: (reason: string) => void;
  /** a retry would fail in the same way */
  onRefused: (reason: string) => void;
  onArrived: (uploadId: string) => void;
}

export interface Transfer {
  /** starts, or resumes where it stopped */
  start: () => Promise<void>;
  /** stops sending; the service keeps the bytes received */
  pause: () => Promise<void>;
  /** stops sending and deletes the bytes received by the service */
  discard: () => Promise<void>;
}

/** The status and the reason given by the service, or the best description without one. */
function readReason(error: DetailedError): { status: number; reason: string } {
  const status = error.originalResponse?.getStatus() ?? 0;
  try {
    const body = JSON.parse(error.originalResponse?.getBody() ?? '');
    if (typeof body.detail === 'string') return { status, reason: body.detail };
  } catch {
    // Without a problem body the response comes from a proxy in front of the service.
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
 * @param uploadId an incomplete upload to resume; null starts a new one, or resumes the one that this browser remembers
 * for the same file, project and metadata
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
    // The queue counts and shows the attempts.
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
    // Behind a proxy the service may report another host name: keep the one that worked.
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
