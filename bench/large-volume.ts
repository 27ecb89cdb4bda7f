/**
 * A scan of 2048³ voxels of 16 bits in typical use: uploaded, stored and served by the product, opened in a browser,
 * scrolled through at full resolution in every direction. Compares the picture with the scan's voxels, and reports the
 * latency of pictures and the memory of the tab; fails where either is beyond its limit. Needs Linux and 22 GB of disk:
 * `node bench/large-volume.ts [edge, by default 2048] [data=<folder that is kept for the next time>]
 * [pictures=<folder>]`
 */
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { DataObject } from '#contract/shapes/data-object.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { windowScale } from '#kernels/grid/grey-window.ts';
import {
  gridMmToWorld,
  paneToPlane,
  planeAxes,
  type SliceName,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { turnGrid } from '#kernels/grid/turned-grid.ts';
import { type Grid, identityDirections, mapVector, type Vector3 } from '#kernels/grid/volume.ts';
import { defaultViewState } from '#web/viewer/state/view-state.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { startService } from '../e2e/support/service.ts';
import { drawLargeScan } from './large-scan.ts';
import { PlainTab } from './plain-tab.ts';
import { type TabMemory, type WatchedTab, watchTab } from './tab-memory.ts';
import {
  nameCanvas,
  openProjectPage,
  openView,
  type Session as SignedIn,
  stepSlices,
  storeSession,
} from './viewer-tab.ts';

declare const window: EventTarget & { __scanwrightViewer?: ViewerHooks };

const voxelMm = 0.05;
const viewport = { width: 1440, height: 900 };
/** private memory of the tab's renderer process */
const LIMIT_MB = 600;
const SINGLE_STEPS = 12;
const SCROLLED_SLICES = 300;
/** between two slices while a key is held down */
const REPEAT_MS = 33;
/** screen pixels per voxel where single voxels are shown */
const ZOOM = 4;

const slices: readonly SliceName[] = ['xy', 'xz', 'yz', 'oblique'];
const orientation = { normal: [0.3, -0.5, 0.81] as Vector3, up: [0, 1, 0] as Vector3 };

const words = process.argv.slice(2);
const read = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
const edge = Number(words.find((word) => /^\d+$/.test(word)) ?? 2048);
const kept = read('data');
const pictures = read('pictures');
const folder = kept ?? (await mkdtemp(path.join(tmpdir(), 'large-volume-')));
const scan = drawLargeScan(edge);

interface Session extends SignedIn {
  url: string;
}

async function call<Answer>({ url, token }: Session, method: string, address: string, body?: unknown) {
  const response = await fetch(`${url}/api/v2/${address}`, {
    method,
    headers: {
      Authorization: `Token ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Uploads the scan as gzipped RAW with the upload protocol. */
async function upload(session: Session, projectId: string): Promise<void> {
  const file = path.join(folder, 'scan.raw.gz');
  const bytes = function* () {
    for (const plane of scan.planes()) yield Buffer.from(new Uint8Array(plane.buffer));
  };
  await pipeline(Readable.from(bytes()), createGzip({ level: 1 }), createWriteStream(file));
  const blob = await openAsBlob(file);
  const said = {
    ...{ projectId, filename: 'scan.raw.gz', dataType: 'uint16', voxelSizeMm: String(voxelMm) },
    dimensions: [edge, edge, edge].join(),
  };
  const headers = { Authorization: `Token ${session.token}`, 'Tus-Resumable': '1.0.0' };
  const created = await fetch(`${session.url}/api/v2/uploads`, {
    method: 'POST',
    headers: {
      ...headers,
      'Upload-Length': String(blob.size),
      'Upload-Metadata': Object.entries(said)
        .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
        .join(),
    },
  });
  const place = new URL(created.headers.get('Location') ?? '', session.url);
  const type = 'application/offset+octet-stream';
  const sent = await fetch(place, {
    method: 'PATCH',
    headers: { ...headers, 'Upload-Offset': '0', 'Content-Type': type },
    body: blob,
  });
  if (sent.status !== 204) throw new Error(`the upload was not taken: ${sent.status} ${await sent.text()}`);
  await rm(file);
}

/** Opens the project with the scan, created when the folder has none; waits until the scan has been judged, too. */
async function openProject(session: Session): Promise<{ projectId: string; originMm: Vector3 }> {
  const name = `Scan of ${edge}³ voxels`;
  const found = await call<{ results: { id: string }[] }>(
    session,
    'GET',
    `projects?search=${encodeURIComponent(name)}`,
  );
  let projectId = found.results[0]?.id;
  if (!projectId) {
    const me = await call<{ organizations: { id: string }[] }>(session, 'GET', 'me');
    const workspaces = `organizations/${me.organizations[0]?.id}/workspaces`;
    const { id: workspaceId } = await call<{ id: string }>(session, 'POST', workspaces, { name });
    projectId = (await call<{ id: string }>(session, 'POST', 'projects', { workspaceId, name })).id;
    const start = performance.now();
    await upload(session, projectId);
    console.log(`drawn and sent in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  for (;;) {
    const operations = await call<{ results: { finishedAt: string | null; error: unknown }[] }>(
      session,
      'GET',
      `projects/${projectId}/operations`,
    );
    const [ingest] = operations.results;
    if (ingest?.error) throw new Error(`the scan was not read: ${JSON.stringify(ingest.error)}`);
    if (ingest?.finishedAt) break;
    await delay(1000);
  }
  const data = await call<{ results: DataObject[] }>(session, 'GET', `projects/${projectId}/data`);
  const volume = data.results.find((each) => each.kind === 'volume');
  if (volume?.kind !== 'volume') throw new Error('the scan is not there');
  return { projectId, originMm: volume.metadata.originMm };
}

/** Shows one pane alone at this many screen pixels per voxel, centred on a point (in voxels). */
function lookAt(
  name: SliceName,
  originMm: Vector3,
  place: Vector3,
  heightPx: number,
  zoom: number,
): ViewState {
  const centerMm = mapVector(place, (voxel, k) => originMm[k] + voxel * voxelMm);
  const plane = { centerMm, heightMm: (heightPx * voxelMm) / zoom };
  return {
    ...defaultViewState(null, null, null),
    layout: name,
    cursorMm: centerMm,
    planes: { xy: plane, xz: plane, yz: plane, oblique: plane },
    oblique: name === 'oblique' ? orientation : null,
    window: { center: 24_000, width: 48_000 },
  };
}

/** Number of screen pixels near the middle of the picture, clear of overlays, that differ from the scan. */
async function compareWithScan(
  tab: PlainTab,
  name: SliceName,
  originMm: Vector3,
): Promise<{ of: number; wrong: number }> {
  const { pixels, box, state } = await tab.run((pane) => {
    const canvas = document.querySelector(pane) as HTMLCanvasElement;
    const { width, height } = canvas;
    const box = [0.3 * width, 0.3 * height, 0.15 * width, 0.15 * height].map(Math.round);
    const [x, y, w, h] = box as [number, number, number, number];
    const { data } = canvas.getContext('2d')?.getImageData(x, y, w, h) ?? { data: [] };
    return {
      pixels: Array.from(data).filter((_, at) => at % 4 === 0),
      box: { x, y, width: w, height: h, paneWidth: width, paneHeight: height },
      state: window.__scanwrightViewer?.state(),
    };
  }, nameCanvas(name));
  const grid: Grid = {
    dimensions: [scan.edge, scan.edge, scan.edge],
    voxelSizeMm: [voxelMm, voxelMm, voxelMm],
    originMm,
    directions: identityDirections(),
  };
  const plane = state?.planes?.[name];
  if (!state || !plane) throw new Error('the view has no planes');
  const turned = name === 'oblique' ? turnGrid(grid, orientation) : grid;
  const { u, v, normal } = planeAxes[name];
  const middle = worldToGridMm(turned, plane.centerMm);
  const cursor = worldToGridMm(turned, state.cursorMm ?? plane.centerMm);
  const view = {
    ...{ centreU: middle[u], centreV: middle[v], heightMm: plane.heightMm },
    ...{ widthPx: box.paneWidth, heightPx: box.paneHeight },
  };
  let [of, wrong] = [0, 0];
  for (let row = 0; row < box.height; row++) {
    for (let column = 0; column < box.width; column++) {
      const at: Vector3 = [...cursor];
      [at[u], at[v]] = paneToPlane(view, box.x + column + 0.5, box.y + row + 0.5);
      at[normal] = cursor[normal];
      const world = name === 'oblique' ? gridMmToWorld(turned, at) : at;
      const grey = interpolate(mapVector(world, (mm, k) => (mm - originMm[k]) / voxelMm));
      const byte = Math.min(255, Math.max(0, grey * windowScale(0, 48_000)));
      of++;
      // Half of it is rounding; the rest is precision that a position loses through millimetres and the URL.
      if (Math.abs(byte - (pixels[row * box.width + column] as number)) > 1.5) wrong++;
    }
  }
  return { of, wrong };
}

/** Trilinear interpolation between voxels. */
function interpolate([x, y, z]: Vector3): number {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  let sum = 0;
  for (const [dx, dy, dz] of corners) {
    const weight = (dx ? x - i : 1 - x + i) * (dy ? y - j : 1 - y + j) * (dz ? z - k : 1 - z + k);
    if (weight > 0) sum += weight * scan.greyAt(i + dx, j + dy, k + dz);
  }
  return sum;
}
const corners = [0, 1].flatMap((z) => [0, 1].flatMap((y) => [0, 1].map((x) => [x, y, z] as const)));

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const most = (values: readonly number[]) => Math.max(...values);

const service = await startService({ DATA_DIR: folder });
const signedIn = await fetch(`${service.url}/api/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: service.email, password: service.password }),
});
const session: Session = { url: service.url, ...((await signedIn.json()) as Omit<Session, 'url'>) };
const tab = await PlainTab.open(viewport);
const problems: string[] = [];
let watched: WatchedTab | undefined;
try {
  const { projectId, originMm } = await openProject(session);
  console.log('the scan is there');
  await storeSession(tab, service.url, session);
  const address = `${service.url}/projects/${projectId}`;
  await openProjectPage(tab, address);
  const memoryOf = await watchTab(tab);
  watched = memoryOf;
  const take = async (name: string) => {
    if (pictures) await writeFile(path.join(pictures, `${name}.png`), await tab.screenshot());
  };
  const memory: Record<string, Partial<TabMemory>> = {};
  const say = async (moment: string, collected = false) => {
    memory[moment] = await memoryOf.measure(collected);
  };
  await delay(2000);
  await take('project');
  memory['while it opened'] = memoryOf.takePeak();
  await say('at rest, after it opened');
  const rows: Record<string, Record<string, unknown>> = {};
  for (const name of slices) {
    const place: Vector3 = [0.42, 0.24, 0.36].map((share) => Math.round(share * edge)) as Vector3;
    const { height } = await openView(tab, address, lookAt(name, originMm, place, viewport.height, 1));
    await openView(tab, address, lookAt(name, originMm, place, height, ZOOM));
    await take(`${name}-zoomed`);
    const { of, wrong } = await compareWithScan(tab, name, originMm);
    if (wrong > 0) problems.push(`${name}: ${wrong} of ${of} pixels are not the scan's`);
    await openView(tab, address, lookAt(name, originMm, place, height, 1));
    await take(name);
    const single = await stepSlices(tab, name, { far: false, times: SINGLE_STEPS, everyMs: null });
    const jumps = await stepSlices(tab, name, { far: true, times: SINGLE_STEPS, everyMs: null });
    memoryOf.takePeak();
    const scrolled = await stepSlices(tab, name, { far: false, times: SCROLLED_SLICES, everyMs: REPEAT_MS });
    memory[`${name}, while scrolling`] = memoryOf.takePeak();
    await say(`${name}, after`);
    rows[name] = {
      'pixels wrong': `${wrong} of ${of}`,
      'next slice, ms': median(single.firstMs).toFixed(0),
      'sharp, ms': `${median(single.sharpMs).toFixed(0)} (${most(single.sharpMs).toFixed(0)})`,
      'ten on, ms': median(jumps.firstMs).toFixed(0),
      'ten on, sharp, ms': `${median(jumps.sharpMs).toFixed(0)} (${most(jumps.sharpMs).toFixed(0)})`,
      'scrolling, ms': `${median(scrolled.firstMs).toFixed(0)}`,
      'sharp while scrolling': `${scrolled.sharpMs.length} of ${SCROLLED_SLICES}`,
      // The preview shows hardly any of the scan's noise, a level that is coarser by two a third of it.
      'contrast while scrolling': median(scrolled.contrasts).toFixed(2),
    };
  }
  await openProjectPage(tab, address);
  await say('all panes again, after all');
  await say('the same, garbage collected', true);
  console.log(`a scan of ${edge}³ voxels of 16 bits, a tab of ${viewport.width} × ${viewport.height}`);
  console.table(rows);
  const rounded = (figures: Partial<TabMemory>) =>
    Object.fromEntries(Object.entries(figures).map(([figure, megabytes]) => [figure, Math.round(megabytes)]));
  console.table(
    Object.fromEntries(Object.entries(memory).map(([moment, figures]) => [moment, rounded(figures)])),
  );
  for (const [moment, { ownMB = 0 }] of Object.entries(memory))
    if (ownMB > LIMIT_MB) problems.push(`${moment}: the tab holds ${ownMB.toFixed(0)} MB`);
} finally {
  watched?.stop();
  await tab.close();
  await service.stop({ keepData: kept !== undefined });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
