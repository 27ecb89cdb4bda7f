import { z } from 'zod';
import { operationKinds } from '../analyses/registry.ts';
import { Fraction, Sha256, Timestamp, Uuid, Vector3, WorkError, WorkStatus } from '../base/primitives.ts';
import { beams } from '../metadata/radiographs.ts';
import { Verdict } from '../metadata/verdict.ts';
import { voxelTypes } from '../metadata/volume.ts';
import { Warning } from '../metadata/warning.ts';
import { definePage, PageQuery, StatusFilter } from './page.ts';

/** Everything needed to reproduce a result. */
export const Provenance = z
  .object({
    inputs: z.array(z.object({ dataObjectId: Uuid, sha256: Sha256.nullable() })),
    parameters: z.record(z.string(), z.unknown()).meta({ description: 'parameters with defaults filled in' }),
    algorithms: z.record(z.string(), z.string()).meta({ description: 'version of each algorithm, by name' }),
    version: z.string().meta({ description: 'version of the service that computed the result' }),
    seconds: z.number().meta({ description: 'duration of the computation' }),
    peakMemoryBytes: z.int().meta({ description: 'peak memory during the computation' }),
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
    stage: z.string().nullable().meta({ description: 'current step, in words; null when none is reported' }),
    parameters: z.record(z.string(), z.unknown()),
    inputDataObjectIds: z
      .array(Uuid)
      .meta({ description: 'the source first, then the reference and others' }),
    outputDataObjectIds: z.array(Uuid).meta({ description: 'empty until completed' }),
    provenance: Provenance.nullable().meta({ description: 'null until completed' }),
    invocationId: Uuid.nullable().meta({
      description:
        'for a pipeline, its run; for a step of a recipe or pipeline, the run it belongs to; otherwise null',
      'x-extension': true,
    }),
    verdict: Verdict.nullable().meta({
      description:
        'verdict of a pipeline’s gates or a comparison’s tolerance; null without one, and until it has finished',
      'x-extension': true,
    }),
    warnings: z.array(Warning),
    error: WorkError.nullable().meta({ description: 'null unless it failed' }),
    createdBy: Uuid.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable().meta({ description: 'null until a worker starts it' }),
    finishedAt: Timestamp.nullable().meta({ description: 'null until it has ended' }),
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
    description: '`status`: processing, cancelling, pending (each oldest first), then finished ones',
  }),
});

/** Information that an import lacked and a retry can supply. */
export const RetryInput = z
  .strictObject({
    voxelSizeMm: Vector3.optional().meta({
      description: 'distance between voxel centres along x, y and z',
      'x-unit': 'mm',
    }),
    unit: z
      .enum(['mm', 'cm', 'm', 'um', 'inch'])
      .optional()
      .meta({ description: 'unit of the file’s lengths' }),
    sizeConfirmed: z.boolean().optional().meta({
      description: 'true: a part under 0.25 mm or over 10 m really has this size',
    }),
    dimensions: z
      .tuple([z.int().min(1), z.int().min(1), z.int().min(1)])
      .optional()
      .meta({ description: 'raw files: number of voxels along x, y and z' }),
    dataType: z.enum(voxelTypes).optional().meta({ description: 'raw files: data type of the grey values' }),
    byteOrder: z.enum(['little', 'big']).optional().meta({ description: 'raw files: byte order' }),
    headerBytes: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'raw files: bytes before the first grey value' }),
    beam: z.enum(beams).optional().meta({ description: 'radiographs: beam geometry' }),
    sourceToAxisMm: z.number().positive().optional().meta({
      description: 'radiographs: distance from source to rotation axis',
      'x-unit': 'mm',
    }),
    sourceToDetectorMm: z.number().positive().optional().meta({
      description: 'radiographs: distance from source to detector',
      'x-unit': 'mm',
    }),
    pixelSizeMm: z.number().positive().optional().meta({
      description: 'radiographs: detector pixel size',
      'x-unit': 'mm',
    }),
    totalAngleDeg: z.number().positive().max(3600).optional().meta({
      description: 'radiographs: total rotation of the part over the whole scan',
      'x-unit': '°',
    }),
    turntable: z.enum(['counterclockwise', 'clockwise']).optional().meta({
      description: 'radiographs: direction in which the part rotates, seen from above',
    }),
  })
  .refine(({ voxelSizeMm }) => voxelSizeMm === undefined || voxelSizeMm.every((size) => size > 0), {
    path: ['voxelSizeMm'],
    message: 'three lengths greater than 0',
  })
  .meta({ id: 'RetryInput' });
export type RetryInput = z.infer<typeof RetryInput>;
