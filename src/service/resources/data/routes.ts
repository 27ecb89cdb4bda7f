/** Data objects: details, files, resolution, views and slices. */

import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { integrity } from '#contract/analyses/integrity.ts';
import { SurfaceView, type VolumeViewState } from '#contract/shapes/data-object.ts';
import { writePng } from '#formats/png/write-png.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { narrowRow } from '#storage/db/schema-data.ts';
import type { ViewRow } from '#storage/views/request-view.ts';
import { etagMatches, makeEtag } from '../../http/etag.ts';
import { Problem } from '../../http/problem.ts';
import type { BindRoutes, Services } from '../../services.ts';
import { OpenDefects } from './defects.ts';
import { sendLevel } from './send-level.ts';
import { sendValues } from './send-slice.ts';
import { findLimits, readSlice, type Slice, windowed } from './slice.ts';
import * as store from './store.ts';
import { OpenVolumes } from './volumes.ts';

const VIEW_WAIT_MS = 60_000;
const MIN_WAIT_MS = 60;
const MAX_WAIT_MS = 500;
/** Data never changes after it is written. */
const IMMUTABLE = 'private, max-age=86400, immutable';

const SurfaceViewFacts = SurfaceView.pick({ triangles: true, wholeTriangles: true });
const noFacts = { triangles: null, wholeTriangles: null };

/** A signal that is aborted when the client disconnects. */
function abortWithReply(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}

/** Waits until the worker has created the view. @throws Problem CONFLICT when that failed, UNAVAILABLE when it takes too long */
async function finishedView({ db }: Services, requested: ViewRow, signal: AbortSignal): Promise<ViewRow> {
  let row: ViewRow | undefined = requested;
  let pause = MIN_WAIT_MS;
  for (const end = Date.now() + VIEW_WAIT_MS; Date.now() < end && !signal.aborted; ) {
    if (row === undefined) throw new Problem('NOT_FOUND', 'the data object was deleted meanwhile');
    if (row.status === 'completed' && row.blobKey !== null) return row;
    if (row.status === 'failed') throw new Problem('CONFLICT', row.error?.detail ?? 'the view can’t be made');
    if (row.status === 'cancelled') throw new Problem('CONFLICT', 'the view was cancelled; request it again');
    await delay(pause);
    pause = Math.min(pause * 1.5, MAX_WAIT_MS);
    row = await store.readView(db, requested.id);
  }
  throw new Problem('UNAVAILABLE', 'the view is still being generated; try again', {
    headers: { 'retry-after': '5' },
  });
}

const viewState = ({ id, status, progress }: ViewRow): VolumeViewState => ({ id, status, progress });

function describeSlice(reply: FastifyReply, slice: Slice): void {
  reply.headers({
    'x-dimensions': `${slice.width},${slice.height}`,
    'x-spacing-mm': slice.spacingMm.join(','),
    'x-data-type': slice.dataType,
    'x-origin-mm': slice.originMm.join(','),
  });
}

export const bindData: BindRoutes = (binder, services) => {
  const { db, blobs, addresses } = services;
  const volumes = new OpenVolumes(blobs);
  const defects = new OpenDefects(blobs);

  binder.bind('readDataObject', ({ id }) => store.readDataObject(db, id));

  binder.bind('patchDataObject', async ({ id, project, caller, body }) => {
    await inTransaction(db, (tx) => store.changeKind(tx, caller, project.id, id, body.kind));
    return store.readDataObject(db, id);
  });

  binder.bindList('listProjectData', ({ project, query }) =>
    store.listData(db, project.id, query.kind, query),
  );

  binder.bindList('listForeignReferences', ({ project, caller, query }) =>
    store.listForeign(db, { ...project, projectId: project.id, userId: caller.userId }, query),
  );

  binder.bind('readDataResolution', async ({ id }) => {
    const { meta } = await volumes.get(await store.readRow(db, id));
    const { dimensions, voxelSizeMm, originMm, dataType } = meta;
    const levels = meta.levels.map((level) => ({
      dimensions: level.dimensions,
      voxelSizeMm: level.voxelSizeMm,
    }));
    return { id, dimensions, voxelSizeMm, originMm, dataType, levels };
  });

  binder.bind('readDataView', async ({ id, project, caller, query, request, reply }) => {
    await volumes.get(await store.readRow(db, id));
    const requested = await store.requestView(db, id, query);
    const view = await finishedView(services, requested, abortWithReply(reply));
    const file = {
      key: view.blobKey ?? '',
      fileName: view.fileName ?? `view.${query.outputFormat}`,
      mediaType: view.mediaType ?? 'application/octet-stream',
    };
    const data = addresses.for(caller, request)(file, { projectId: project.id });
    return { id: view.id, data, parameters: view.parameters, version: view.version };
  });

  binder.bind('readDataViewState', async ({ id, query }) => {
    const view = await store.findView(db, id, query);
    return { view: view ? viewState(view) : null };
  });

  binder.bind('cancelDataView', async ({ id, query }) =>
    viewState(await inTransaction(db, (tx) => store.cancelView(tx, id, query))),
  );

  binder.bind('readSurfaceView', async ({ id, project, caller, query, request }) => {
    const row = await store.readRow(db, id);
    const details = await store.listSurfaceViews(db, row);
    if (!details.includes(query.detail))
      throw new Problem('CONFLICT', `a surface of this kind is not ${query.detail}`);
    const view = await store.requestView(db, id, query);
    const { status, blobKey, fileName, mediaType } = view;
    const facts = SurfaceViewFacts.safeParse(view.parameters).data ?? noFacts;
    if (status !== 'completed' || blobKey === null) return { status, data: null, ...facts };
    const file = {
      key: blobKey,
      fileName: fileName ?? 'surface.glb',
      mediaType: mediaType ?? 'model/gltf-binary',
    };
    return { status, data: addresses.for(caller, request)(file, { projectId: project.id }), ...facts };
  });

  binder.bindList('listDefects', async ({ id, query }) => {
    const row = await store.readRow(db, id);
    if (!narrowRow(row, integrity.makes))
      throw new Problem('CONFLICT', `this needs an integrity result; the data object is a ${row.kind}`);
    const { blobKey } = await store.readFile(db, id, 'defects.json');
    return defects.readPage(blobKey, query);
  });

  binder.bindRaw('readDataSlice', async ({ id, query, request, reply }) => {
    const row = await store.readRow(db, id);
    const reader = await volumes.get(row);
    // The volume under a key never changes, so the request determines the content, whatever its encoding.
    const etag = makeEtag(JSON.stringify([reader.key, query]));
    reply.headers({ 'cache-control': IMMUTABLE, etag: `W/${etag}`, vary: 'accept-encoding' });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const slice = await readSlice(reader, query, abortWithReply(reply));
    describeSlice(reply, slice);
    if (query.format === 'raw') return sendValues(request, reply, slice.data);
    const known = narrowRow(row, 'volume', 'radiographs')?.metadata.range;
    const [low, high] = known ?? findLimits(slice.data);
    const grey = windowed(slice.data, query.windowMin ?? low, query.windowMax ?? high);
    return reply
      .type('image/png')
      .send(await writePng({ width: slice.width, height: slice.height, channels: 1, samples: grey }, 1));
  });

  binder.bindRaw('readDataLevel', async ({ id, query, request, reply }) => {
    const reader = await volumes.get(await store.readRow(db, id));
    const etag = makeEtag(JSON.stringify([reader.key, query]));
    reply.headers({ 'cache-control': IMMUTABLE, etag });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return sendLevel(reply, reader, query.max_dimension_size, abortWithReply(reply));
  });

  binder.bind('readExportFile', async ({ id, project, caller, params, request }) => {
    const { fileName, mediaType, sizeBytes, sha256, blobKey } = await store.readFile(
      db,
      id,
      params['fileName'],
    );
    const file = { key: blobKey, fileName, mediaType };
    const url = addresses.for(caller, request)(file, { projectId: project.id });
    return { url, fileName, sizeBytes, sha256 };
  });
};
