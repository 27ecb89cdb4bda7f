/** State machine of one upload: which events may happen in which phase. Without clock and network. */

export type UploadPhase =
  /** its header is read, again after each answer */
  | 'checking'
  /** information from the user is missing */
  | 'incomplete'
  /** cannot be read; the reason is known */
  | 'refused'
  /** complete; waits for other uploads */
  | 'queued'
  | 'sending'
  /** disconnected; retried automatically */
  | 'interrupted'
  | 'paused'
  /** the service refused it, or the file changed on disk */
  | 'failed'
  /** all bytes have arrived; being imported */
  | 'sent'
  /** imported into the project */
  | 'read';

export interface ByteSample {
  atMs: number;
  sentBytes: number;
}

export interface UploadItem {
  id: string;
  projectId: string;
  fileName: string;
  sizeBytes: number;
  phase: UploadPhase;
  sentBytes: number;
  /** a few seconds of samples since sending last started, oldest first */
  samples: readonly ByteSample[];
  /** why it was refused, failed or interrupted */
  reason: string | null;
  /** attempts since the connection was lost */
  attempt: number;
  /** the service's id of the upload, once it exists */
  uploadId: string | null;
}

export type UploadEvent =
  | { type: 'checked'; missing: boolean }
  | { type: 'refused'; reason: string }
  | { type: 'answered' }
  | { type: 'start' }
  | { type: 'begin' }
  | { type: 'progress'; sentBytes: number; atMs: number }
  | { type: 'connectionLost'; reason: string }
  | { type: 'pause' }
  | { type: 'fail'; reason: string }
  | { type: 'arrived'; uploadId: string }
  | { type: 'read' };

/** Time window of the speed. */
const speedWindowMs = 8_000;
/** An estimate from a shorter time would be a guess. */
const trustworthyMs = 2_000;

export function newUpload(id: string, projectId: string, fileName: string, sizeBytes: number): UploadItem {
  return {
    id,
    projectId,
    fileName,
    sizeBytes,
    phase: 'checking',
    sentBytes: 0,
    samples: [],
    reason: null,
    attempt: 0,
    uploadId: null,
  };
}

const allowed: Record<UploadEvent['type'], readonly UploadPhase[]> = {
  checked: ['checking'],
  refused: ['checking'],
  answered: ['incomplete'],
  start: ['paused', 'failed', 'interrupted'],
  begin: ['queued', 'interrupted'],
  progress: ['sending'],
  connectionLost: ['sending', 'interrupted'],
  pause: ['queued', 'sending', 'interrupted'],
  fail: ['queued', 'sending', 'interrupted'],
  arrived: ['sending'],
  read: ['sent'],
};

/** The item after `event`; the same item if the event is not allowed in its phase (such as late progress). */
export function step(item: UploadItem, event: UploadEvent): UploadItem {
  if (!allowed[event.type].includes(item.phase)) return item;
  switch (event.type) {
    case 'checked':
      return { ...item, phase: event.missing ? 'incomplete' : 'queued' };
    case 'refused':
      return { ...item, phase: 'refused', reason: event.reason };
    case 'answered':
      return { ...item, phase: 'checking' };
    case 'start':
      return { ...item, phase: 'queued', reason: null, attempt: 0, samples: [] };
    case 'begin':
      return { ...item, phase: 'sending', samples: [] };
    case 'progress': {
      const samples = [...item.samples, { atMs: event.atMs, sentBytes: event.sentBytes }];
      const first = samples.findIndex((sample) => sample.atMs >= event.atMs - speedWindowMs);
      const moved = event.sentBytes > item.sentBytes;
      return {
        ...item,
        sentBytes: event.sentBytes,
        samples: samples.slice(first),
        attempt: moved ? 0 : item.attempt,
        reason: moved ? null : item.reason,
      };
    }
    case 'connectionLost':
      return { ...item, phase: 'interrupted', reason: event.reason, attempt: item.attempt + 1, samples: [] };
    case 'pause':
      return { ...item, phase: 'paused', samples: [] };
    case 'fail':
      return { ...item, phase: 'failed', reason: event.reason, samples: [] };
    case 'arrived':
      return {
        ...item,
        phase: 'sent',
        sentBytes: item.sizeBytes,
        uploadId: event.uploadId,
        reason: null,
        samples: [],
      };
    case 'read':
      return { ...item, phase: 'read' };
  }
}

export const can = (item: UploadItem, event: UploadEvent['type']): boolean =>
  allowed[event].includes(item.phase);

/** Bytes per second over the last seconds; null without two samples. */
export function measureSpeed({ samples }: Pick<UploadItem, 'samples'>): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.atMs <= first.atMs) return null;
  return ((last.sentBytes - first.sentBytes) / (last.atMs - first.atMs)) * 1000;
}

/** Seconds remaining; null until the estimate is reliable. */
export function estimateRestSeconds(item: UploadItem): number | null {
  const [first] = item.samples;
  const last = item.samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < trustworthyMs) return null;
  const speed = measureSpeed(item);
  return speed === null || speed <= 0 ? null : (item.sizeBytes - item.sentBytes) / speed;
}

/** Milliseconds before attempt number `attempt`: 1 s, 2 s, 4 s … at most 30 s. */
export const retryDelayMs = (attempt: number): number => Math.min(30_000, 1000 * 2 ** (attempt - 1));

/** The next queued items to start, so that at most `atOnce` are in progress. */
export function nextToBegin(items: readonly UploadItem[], atOnce: number): UploadItem[] {
  const busy = items.filter(({ phase }) => phase === 'sending' || phase === 'interrupted').length;
  return items.filter(({ phase }) => phase === 'queued').slice(0, Math.max(0, atOnce - busy));
}

/** Whether leaving the page would interrupt it. */
export const isUnderWay = ({ phase }: UploadItem): boolean =>
  phase === 'sending' || phase === 'queued' || phase === 'interrupted';

/** Whether an upload of this project is being checked, sent or imported. */
export const isAwaited = (uploads: readonly { item: UploadItem }[], projectId: string): boolean =>
  uploads.some(
    ({ item }) =>
      item.projectId === projectId &&
      (isUnderWay(item) || item.phase === 'checking' || item.phase === 'sent'),
  );
