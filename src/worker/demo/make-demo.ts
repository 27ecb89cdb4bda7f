/** Fills a new installation with parts scanned by the simulated scanner. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ThreadClient } from '#analyses/threads/thread-client.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { writeZip } from '#formats/zip/write-zip.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import type { WorkerContext } from '../context.ts';
import type { StoredFile } from '../results/write-results.ts';
import { WorkBlobs } from '../work/work-blobs.ts';
import {
  type DemoFiles,
  type DemoPlace,
  findDemoPlace,
  hasEnded,
  insertDemoAnalyses,
  insertDemoDisposition,
  insertDemoProject,
  readDemoState,
} from './demo-store.ts';
import { type DemoPart, demoParts } from './parts.ts';
import type { ScanRequest } from './scan-thread.ts';
import type { Radiographs } from './scanner.ts';
import {
  type DemoScale,
  describeGeometry,
  fullScale,
  radiographSlabs,
  type SimulatedScan,
} from './simulate.ts';

const THREADS = 2;
const LOOK_AGAIN_MS = 250;
const scanThread = new URL('./scan-thread.ts', import.meta.url);

export interface RunningDemo {
  /** resolves when the demo is complete or was stopped */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** Creates or continues the demo in the background. Failures are logged and retried at the next start. */
export function startDemo(context: WorkerContext, scale = fullScale): RunningDemo {
  const stopping = new AbortController();
  const done = makeDemo(context, scale, stopping.signal).catch((err: unknown) => {
    if (!stopping.signal.aborted) context.log.error({ err }, 'the demo could not be made');
  });
  return {
    done,
    stop: () => {
      stopping.abort(new Error('the worker ends'));
      return done;
    },
  };
}

const hasWork = ({ analyses, recipe, pipeline }: DemoPart): boolean =>
  Boolean(analyses ?? recipe ?? pipeline);

async function makeDemo(context: WorkerContext, scale: DemoScale, signal: AbortSignal): Promise<void> {
  const { db, log } = context;
  const state = await readDemoState(db, demoParts.length);
  const isComplete = demoParts.every(
    (part) =>
      part.key in state.made &&
      (!hasWork(part) || state.analysed.includes(part.key)) &&
      (!part.disposition || !state.decided || state.decided.includes(part.key)),
  );
  if (!state.wanted || isComplete) return;
  const place = await findDemoPlace(db);
  if (!place) return;
  const startedAt = performance.now();
  // A failure of one stops the others.
  const failed = new AbortController();
  const together = AbortSignal.any([signal, failed.signal]);
  const missing = demoParts.filter(({ key }) => !(key in state.made));
  const lane = async () => {
    if (missing.length === 0) return;
    // Warm after the first part.
    const scanner = new ThreadClient<ScanRequest, SimulatedScan>(scanThread, { name: 'scanner' });
    try {
      for (let part = missing.shift(); part; part = missing.shift()) {
        together.throwIfAborted();
        const scan = await scanner.call({ key: part.key, scale }, { signal: together });
        await storePart(context, place, part, scan, together);
      }
    } finally {
      await scanner.end();
    }
  };
  await Promise.all(
    [...Array.from({ length: THREADS }, lane), analyse(context, together)].map((work) =>
      work.catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  log.info({ seconds: (performance.now() - startedAt) / 1000 }, 'the demo is made');
}

async function storePart(
  { db, store }: WorkerContext,
  place: DemoPlace,
  part: DemoPart,
  scan: SimulatedScan,
  signal: AbortSignal,
): Promise<void> {
  const blobs = new WorkBlobs(db, store, randomUUID(), signal);
  try {
    const files = await storeFiles(part, scan, blobs);
    if (!(await insertDemoProject(db, place, part, files))) await blobs.discard();
  } catch (error) {
    await blobs.discard();
    throw error;
  }
}

/** Requests the analyses of a part as soon as its imports have ended, then its disposition. */
async function analyse({ db }: WorkerContext, signal: AbortSignal): Promise<void> {
  const ended = async ({ key }: DemoPart, work: 'imports' | 'all'): Promise<string> => {
    for (;;) {
      const projectId = (await readDemoState(db, demoParts.length)).made[key];
      if (projectId && (await hasEnded(db, projectId, work))) return projectId;
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  };
  for (const part of demoParts.filter(hasWork))
    await insertDemoAnalyses(db, part, await ended(part, 'imports'));
  for (const part of demoParts.filter(({ disposition }) => disposition))
    await insertDemoDisposition(db, part, await ended(part, 'all'));
}

async function storeFiles(part: DemoPart, scan: SimulatedScan, blobs: WorkBlobs): Promise<DemoFiles> {
  const put = async (
    fileName: string,
    mediaType: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<StoredFile> => {
    const { key, sizeBytes, sha256 } = await blobs.put('files', bytes, mediaType);
    return { fileName, mediaType, sizeBytes, sha256, blobKey: key };
  };
  const baseName = safeName(`${part.partNumber}_${part.serialNumber}`);
  const { cad, keepRadiographs } = part;
  const nrrd = 'application/x-nrrd';
  return {
    volume: await put(`${baseName}.nrrd`, nrrd, writeNrrd(makeSlabs(scan.volume))),
    cad: cad && (await put(cad.fileName, 'model/stl', writeStl(cad.mesh))),
    radiographs: keepRadiographs
      ? await put(`${baseName}_radiographs.zip`, 'application/zip', radiographsZip(scan.radiographs))
      : undefined,
  };
}

/** Radiographs as a scanner would deliver them: projections in one file and their geometry in another. */
function radiographsZip(radiographs: Radiographs): AsyncIterable<Uint8Array> {
  const { geometry, flatLevel } = radiographs;
  const description = { ...describeGeometry(geometry), pixelSizeMm: geometry.pixelSizeMm, flatLevel };
  return writeZip([
    { path: 'projections.nrrd', data: writeNrrd(radiographSlabs(radiographs)), compress: true },
    {
      path: 'geometry.json',
      data: new TextEncoder().encode(`${JSON.stringify(description, undefined, 2)}\n`),
    },
  ]);
}
