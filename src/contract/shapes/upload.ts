import { z } from 'zod';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { definePage, PageQuery } from './page.ts';

/** An upload over the tus 1.0 protocol. */
export const Upload = z
  .object({
    id: Uuid,
    projectId: Uuid,
    fileName: z.string(),
    sizeBytes: z.int(),
    offset: z.int().meta({ description: 'bytes received so far' }),
    operationId: Uuid.nullable().meta({
      description: 'import that it started; null until all bytes are received',
    }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;
export const UploadPage = definePage(Upload, 'UploadPage');
export const UploadListQuery = PageQuery;
