import { z } from 'zod';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { definePage, PageQuery } from './page.ts';

/** An upload by the tus 1.0 protocol; `offset` says how much has arrived. */
export const Upload = z
  .object({
    id: Uuid,
    projectId: Uuid,
    fileName: z.string(),
    sizeBytes: z.int(),
    offset: z.int(),
    operationId: Uuid.nullable().meta({ description: 'the ingest that it led to' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;
export const UploadPage = definePage(Upload, 'UploadPage');
export const UploadListQuery = PageQuery;
