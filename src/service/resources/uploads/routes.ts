/** Resumable uploads: created by the contract's operation, then handled by the methods of the tus protocol. */

import { mkdirSync } from 'node:fs';
import { accessibleProjects, roleSuffices } from '#storage/access/access.ts';
import { uploadFolder } from '#storage/data-folder.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { mapPage } from '#storage/db/page.ts';
import { archived } from '../../access/authorize.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';
import { readMetadata } from './metadata.ts';
import { checkProtocol, checkSameLength } from './protocol-headers.ts';
import { createReceiver, requireRoom } from './receiver.ts';
import * as store from './store.ts';

function readLength(header: string | string[] | undefined, max: number): number {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header))
    throw invalidField('Upload-Length', 'must be the number of bytes of the file');
  const length = Number(header);
  if (length === 0) throw invalidField('Upload-Length', 'is 0: the file is empty');
  if (length > max)
    throw new Problem('PAYLOAD_TOO_LARGE', `files may have up to ${max} bytes; this one has ${length}`);
  return length;
}

export const bindUploads: BindRoutes = (binder, services) => {
  const { db, config } = services;
  mkdirSync(uploadFolder(config), { recursive: true });
  const receiver = createReceiver(services);

  binder.onReady(() => receiver.recover());

  binder.bindRaw('createUpload', async ({ caller, request, reply }) => {
    checkProtocol(request.raw);
    const header = request.headers['upload-metadata'];
    const metadata = readMetadata(Array.isArray(header) ? header.join(',') : header);
    const { projectId } = metadata;
    const project = (await accessibleProjects(db, caller.userId, [projectId])).get(projectId);
    if (!project) throw notFound('project', 'projectId');
    if (!roleSuffices(project.role, 'editor'))
      throw new Problem('PERMISSION_DENIED', 'this needs the editor role in the workspace');
    if (project.state === 'archived') throw archived();
    const length = readLength(request.headers['upload-length'], config.maxUploadBytes);
    const id = await inTransaction(db, async (tx) => {
      await requireRoom(uploadFolder(config), length, await store.lockPromisedBytes(tx));
      return store.insertUpload(tx, caller.userId, metadata, length, config.uploadDays);
    });
    reply.hijack();
    await receiver.handle(request.raw, reply.raw, id, request.baseAddress);
  });

  // Bound before readUpload, whose GET would otherwise also handle HEAD.
  binder.bindProtocol('HEAD', 'readUpload', 'viewer', async ({ id, reply, request }) => {
    checkProtocol(request.raw);
    const before = await store.readUpload(db, id);
    if (before.status === 'uploading') await receiver.finishIfWhole(id, before.sizeBytes);
    const row = await store.readUpload(db, id);
    if (row.status === 'cancelled') throw new Problem('NOT_FOUND', 'the upload was aborted');
    if (row.status === 'completed') {
      // Its bytes may already have been imported and removed.
      const size = row.sizeBytes ?? 0;
      const headers = { 'tus-resumable': '1.0.0', 'upload-offset': size, 'upload-length': size };
      return reply.headers(headers).code(200).send();
    }
    reply.hijack();
    return receiver.handle(request.raw, reply.raw, id, '');
  });

  binder.bindProtocol('PATCH', 'readUpload', 'editor', async ({ id, project, reply, request }) => {
    checkProtocol(request.raw);
    if (project.state === 'archived') throw archived();
    const row = await store.readUpload(db, id);
    if (row.status === 'cancelled') throw new Problem('NOT_FOUND', 'the upload was aborted');
    if (row.status === 'completed') throw new Problem('CONFLICT', 'this upload is already complete');
    checkSameLength(request.raw, row.sizeBytes);
    await store.touchUpload(db, id, await receiver.arrived(id), config.uploadDays);
    reply.hijack();
    return receiver.handle(request.raw, reply.raw, id, '');
  });

  binder.bindProtocol('DELETE', 'readUpload', 'editor', async ({ id, reply }) => {
    const row = await store.readUpload(db, id);
    if (row.status === 'completed')
      throw new Problem('CONFLICT', 'the upload is already complete; delete the imported data instead');
    await inTransaction(db, (tx) => store.cancelUpload(tx, id));
    await receiver.remove(id);
    return reply.header('tus-resumable', '1.0.0').code(204).send();
  });

  binder.bind('readUpload', async ({ id }) =>
    store.uploadShape(await store.readUpload(db, id), await receiver.arrived(id)),
  );

  binder.bindList('listProjectUploads', ({ project, query }) =>
    mapPage(store.listUnfinished(db, project.id, query), (rows) =>
      Promise.all(rows.map(async (row) => store.uploadShape(row, await receiver.arrived(row.id)))),
    ),
  );
};
