/** The uploads of this browser tab, independent of the open page: they continue while the user navigates. */
import type { RetryInput } from '#contract/shapes/operation.ts';
import type { Estimate } from '#formats/estimate.ts';
import {
  type ImportField,
  type ImportValues,
  listMissingFields,
  toRetryInput,
  toUploadMetadata,
} from './import-fields.ts';
import type { Transfer } from './tus-transfer.ts';
import {
  can,
  isUnderWay,
  newUpload,
  nextToBegin,
  retryDelayMs,
  step,
  type UploadEvent,
  type UploadItem,
} from './upload-state.ts';

export interface QueuedUpload {
  item: UploadItem;
  /** what the file is and what its import takes; null while its header is read, or if that failed */
  estimate: Estimate | null;
  /** fields that the user has to fill in */
  asked: readonly ImportField[];
  /** values suggested by the file */
  suggested: Record<string, unknown>;
  /** values entered by the user so far */
  given: RetryInput;
  /** the user has declared pictures, which could also be slices, to be radiographs */
  isRadiographs: boolean;
  /** the imported data object */
  dataObjectId: string | null;
}

interface Private {
  file: File;
  transfer: Transfer | null;
  /** of an incomplete upload on the service */
  knownUploadId: string | null;
  retryTimer: number | null;
}

const atOnce = 2;

export class UploadQueue {
  #entries: readonly QueuedUpload[] = [];
  #hidden = new Map<string, Private>();
  #listeners = new Set<() => void>();
  #count = 0;

  constructor() {
    window.addEventListener('online', this.#retryNow);
    window.addEventListener('beforeunload', (event) => {
      if (this.#entries.some(({ item }) => isUnderWay(item))) event.preventDefault();
    });
  }

  snapshot = (): readonly QueuedUpload[] => this.#entries;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds files: their headers are read, and files that lack nothing are sent. */
  add(projectId: string, files: readonly File[]): void {
    for (const file of files) void this.#take(projectId, file, null);
  }

  /** Resumes an incomplete upload; the file has to be the same. */
  resume(projectId: string, file: File, uploadId: string, offset: number): void {
    void this.#take(projectId, file, { uploadId, offset });
  }

  answer(id: string, values: ImportValues): void {
    const { asked, given, isRadiographs } = this.#entry(id);
    const answers = { ...given, ...toRetryInput(asked, values) };
    this.#change(id, { given: answers });
    this.#apply(id, { type: 'answered' });
    // The estimate was made for slices, and is about right for radiographs.
    if (isRadiographs) this.#passChecked(id);
    else void this.#examine(id, answers);
  }

  /** Treats the pictures as projections instead of slices, and asks for the scan geometry. */
  readAsRadiographs(id: string): void {
    const asked = listMissingFields([
      'beam',
      'sourceToAxisMm',
      'sourceToDetectorMm',
      'pixelSizeMm',
      'totalAngleDeg',
    ]);
    this.#change(id, { isRadiographs: true, asked, suggested: { totalAngleDeg: 360 } });
  }

  start(id: string): void {
    this.#apply(id, { type: 'start' });
    this.#beginNext();
  }

  /** Records the data object that the import created. */
  settle(id: string, dataObjectId: string | null): void {
    this.#change(id, { dataObjectId });
    this.#apply(id, { type: 'read' });
  }

  pause(id: string): void {
    this.#apply(id, { type: 'pause' });
    this.#stopTimer(id);
    void this.#hidden.get(id)?.transfer?.pause();
    this.#beginNext();
  }

  /** Removes an item from the list; bytes of an unfinished upload are also deleted on the service. */
  remove(id: string): void {
    const { item } = this.#entry(id);
    this.#stopTimer(id);
    // The service deletes abandoned uploads by itself, so a failure here is not reported.
    if (item.phase !== 'sent' && item.phase !== 'read')
      void this.#hidden
        .get(id)
        ?.transfer?.discard()
        .catch(() => {});
    this.#hidden.delete(id);
    this.#set(this.#entries.filter((entry) => entry.item.id !== id));
    this.#beginNext();
  }

  async #take(
    projectId: string,
    file: File,
    known: { uploadId: string; offset: number } | null,
  ): Promise<void> {
    const id = `upload-${++this.#count}`;
    const item = newUpload(id, projectId, file.name, file.size);
    this.#hidden.set(id, { file, transfer: null, knownUploadId: known?.uploadId ?? null, retryTimer: null });
    this.#set([
      ...this.#entries,
      {
        item: known ? { ...item, sentBytes: known.offset } : item,
        estimate: null,
        asked: [],
        suggested: {},
        given: {},
        isRadiographs: false,
        dataObjectId: null,
      },
    ]);
    if (known) {
      // The service already has its metadata; the import will ask for missing information.
      this.#passChecked(id);
      return;
    }
    await this.#examine(id, {});
  }

  /** Reads the header of a file, with the values entered by the user; asks for those still missing. */
  async #examine(id: string, hints: RetryInput): Promise<void> {
    const file = this.#hidden.get(id)?.file;
    if (!file) return;
    const check = await this.#check(file, hints);
    if (!this.#has(id)) return;
    if ('refused' in check) {
      this.#apply(id, { type: 'refused', reason: check.refused });
      return;
    }
    const { missing, suggested } = check.estimate;
    const asked = listMissingFields(missing, suggested);
    this.#change(id, { estimate: check.estimate, asked, suggested });
    if (asked.length > 0) this.#apply(id, { type: 'checked', missing: true });
    else this.#passChecked(id);
  }

  /** Nothing is missing: the file is queued. */
  #passChecked(id: string): void {
    this.#apply(id, { type: 'checked', missing: false });
    this.#beginNext();
  }

  async #check(file: File, hints: RetryInput) {
    try {
      const { checkFile } = await import('./check-file.ts');
      return await checkFile(file, hints);
    } catch (error) {
      return { refused: `${file.name} could not be examined: ${String(error)}` };
    }
  }

  #beginNext(): void {
    for (const { id } of nextToBegin(
      this.#entries.map(({ item }) => item),
      atOnce,
    ))
      void this.#begin(id);
  }

  async #begin(id: string): Promise<void> {
    const hidden = this.#hidden.get(id);
    if (!hidden) return;
    this.#apply(id, { type: 'begin' });
    try {
      hidden.transfer ??= await this.#createTransfer(id, hidden);
      if (this.#entry(id).item.phase === 'sending') await hidden.transfer.start();
    } catch (error) {
      if (this.#has(id)) this.#apply(id, { type: 'fail', reason: String(error) });
    }
  }

  async #createTransfer(id: string, hidden: Private): Promise<Transfer> {
    const { createTransfer } = await import('./tus-transfer.ts');
    const { item, given, isRadiographs } = this.#entry(id);
    const metadata = {
      projectId: item.projectId,
      filename: item.fileName,
      ...toUploadMetadata(given),
      ...(isRadiographs ? { kind: 'radiographs' } : {}),
    };
    return createTransfer(hidden.file, metadata, hidden.knownUploadId, {
      onProgress: (sentBytes) => this.#apply(id, { type: 'progress', sentBytes, atMs: performance.now() }),
      onConnectionLost: (reason) => {
        this.#apply(id, { type: 'connectionLost', reason });
        this.#retryLater(id);
      },
      onRefused: (reason) => {
        this.#apply(id, { type: 'fail', reason });
        this.#beginNext();
      },
      onArrived: (uploadId) => {
        this.#apply(id, { type: 'arrived', uploadId });
        this.#beginNext();
      },
    });
  }

  #retryLater(id: string): void {
    const hidden = this.#hidden.get(id);
    if (!hidden || !this.#has(id)) return;
    this.#stopTimer(id);
    hidden.retryTimer = window.setTimeout(
      () => {
        if (this.#has(id) && this.#entry(id).item.phase === 'interrupted') void this.#begin(id);
      },
      retryDelayMs(this.#entry(id).item.attempt),
    );
  }

  #retryNow = (): void => {
    for (const { item } of this.#entries) {
      if (item.phase !== 'interrupted') continue;
      this.#stopTimer(item.id);
      void this.#begin(item.id);
    }
  };

  #stopTimer(id: string): void {
    const hidden = this.#hidden.get(id);
    if (hidden?.retryTimer) window.clearTimeout(hidden.retryTimer);
    if (hidden) hidden.retryTimer = null;
  }

  #has = (id: string): boolean => this.#entries.some(({ item }) => item.id === id);

  #entry(id: string): QueuedUpload {
    const entry = this.#entries.find(({ item }) => item.id === id);
    if (!entry) throw new Error(`There is no upload ${id}.`);
    return entry;
  }

  #apply(id: string, event: UploadEvent): void {
    if (!this.#has(id)) return;
    const { item } = this.#entry(id);
    if (can(item, event.type)) this.#change(id, { item: step(item, event) });
  }

  #change(id: string, changes: Partial<QueuedUpload>): void {
    this.#set(this.#entries.map((entry) => (entry.item.id === id ? { ...entry, ...changes } : entry)));
  }

  #set(entries: readonly QueuedUpload[]): void {
    this.#entries = entries;
    for (const listener of [...this.#listeners]) listener();
  }
}

let queue: UploadQueue | null = null;

/** The queue of this tab, created on first use. */
export const uploadQueue = (): UploadQueue => {
  queue ??= new UploadQueue();
  return queue;
};
