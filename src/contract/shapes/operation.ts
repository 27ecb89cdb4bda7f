import { z } from 'zod';
import { operationKinds } from '../analyses/registry.ts';
import { Fraction, Sha256, Timestamp, Uuid, Vector3, WorkError, WorkStatus } from '../base/primitives.ts';
import { beams } from '../metadata/radiographs.ts';
import { Verdict } from '../metadata/verdict.ts';
import { voxelTypes } from '../metadata/volume.ts';
import { Warning } from '../metadata/warning.ts';
import { definePage, PageQuery, StatusFilter } from './page.ts';

/** What a result rests on, so that anybody can make it again. */
export const Provenance = z
  .object({
    inputs: z.array(z.object({ dataObjectId: Uuid, sha256: Sha256.nullable() })),
    parameters: z.record(z.string(), z.unknown()).meta({ description: 'with the defaults filled in' }),
    algorithms: z.record(z.string(), z.string()).meta({ description: 'version of each algorithm' }),
    version: z.string().meta({ description: 'of the service that computed it' }),
    seconds: z.number(),
    peakMemoryBytes: z.int(),
  })
  .meta({ id: 'Provenance' });
export type Provenance = z.infer<typeof Provenance>;

export const OperationKind = z.enum(operationKinds).meta({ id: 'OperationKind' });

export const Operation = z
  .object({
    id: Uuid,
    projectId: Uuid,
    operation: OperationKind,
    status: WorkStatus,
    progress: Fraction,
    stage: z.string().nullable().meta({ description: 'what is being done, in words' }),
    parameters: z.record(z.string(), z.unknown()),
    inputDataObjectIds: z.array(Uuid),
    outputDataObjectIds: z.array(Uuid),
    provenance: Provenance.nullable(),
    invocationId: Uuid.nullable().meta({
      description: 'of a pipeline: its run; of a step: the run that it belongs to',
      'x-extension': true,
    }),
    verdict: Verdict.nullable().meta({
      description: 'of the gates of a pipeline, or of the tolerance of a comparison, once it has ended',
      'x-extension': true,
    }),
    warnings: z.array(Warning),
    error: WorkError.nullable(),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Operation' });
export type Operation = z.infer<typeof Operation>;
export const OperationPage = definePage(Operation, 'OperationPage');

export const OperationSummary = Operation.pick({
  id: true,
  operation: true,
  status: true,
  progress: true,
  stage: true,
}).meta({ id: 'OperationSummary' });

export const OperationListQuery = PageQuery.extend({
  operation: z.string().optional(),
  status: StatusFilter,
  ordering: z.enum(['-createdAt', 'status']).default('-createdAt').meta({
    description:
      '`status`: what runs, what is being stopped, what waits, the oldest first; then what has ended',
  }),
});

/** What a failed ingest waited for; what a retry may bring. */
export const RetryInput = z
  .strictObject({
    voxelSizeMm: Vector3.optional().meta({
      description: 'distance of the voxel centres along x, y, z',
      'x-unit': 'mm',
    }),
    unit: z.enum(['mm', 'cm', 'm', 'um', 'inch']).optional(),
    sizeConfirmed: z.boolean().optional().meta({
      description:
        'answers the question about a part under 0.25 mm or over 10 m: true, it is as small or as large as that',
    }),
    dimensions: z.tuple([z.int().min(1), z.int().min(1), z.int().min(1)]).optional(),
    dataType: z.enum(voxelTypes).optional(),
    byteOrder: z.enum(['little', 'big']).optional(),
    headerBytes: z.int().min(0).optional(),
    beam: z.enum(beams).optional().meta({ description: 'of radiographs' }),
    sourceToAxisMm: z.number().positive().optional().meta({
      description: 'radiographs: distance from the source to the axis of rotation',
      'x-unit': 'mm',
    }),
    sourceToDetectorMm: z.number().positive().optional().meta({
      description: 'radiographs: distance from the source to the detector',
      'x-unit': 'mm',
    }),
    pixelSizeMm: z.number().positive().optional().meta({
      description: 'radiographs: pixel size of the detector',
      'x-unit': 'mm',
    }),
    totalAngleDeg: z.number().positive().max(3600).optional().meta({
      description: 'radiographs: angle that the part was turned by over the whole scan',
      'x-unit': '°',
    }),
    turntable: z.enum(['counterclockwise', 'clockwise']).optional().meta({
      description: 'radiographs: which way the part turns, seen from above',
    }),
  })
  .refine(({ voxelSizeMm }) => voxelSizeMm === undefined || voxelSizeMm.every((size) => size > 0), {
    path: ['voxelSizeMm'],
    message: 'three lengths greater than 0',
  })
  .meta({ id: 'RetryInput' });
export type RetryInput = z.infer<typeof RetryInput>;
