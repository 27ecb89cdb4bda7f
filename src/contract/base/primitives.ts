/** Basic shapes shared by all resources. */
import { z } from 'zod';

/** A UUID of any version. */
export const Uuid = z.guid('not a UUID').meta({ description: 'UUID' });
export const Timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
export const Fraction = z.number().min(0).max(1);
export const Url = z
  .string()
  .meta({ description: 'signed URL; works without further headers until it expires' });
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Three numbers in the order x, y, z. */
export const Vector3 = z.tuple([z.number(), z.number(), z.number()]);

export const BoxMm = z
  .strictObject({ min: Vector3, max: Vector3 })
  .refine(({ min, max }) => min.every((low, axis) => low < (max[axis] ?? low)), {
    message: 'each max must be greater than its min',
  })
  .meta({ title: 'Region', description: 'Box in the scan’s own frame', 'x-unit': 'mm' });

/** Statuses of everything that takes time. */
export const workStatuses = [
  'pending',
  'processing',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const;
export const WorkStatus = z.enum(workStatuses).meta({ id: 'WorkStatus' });
export type WorkStatus = z.infer<typeof WorkStatus>;

/** Statuses of work that a worker is processing or that waits for one. */
export const unfinishedStatuses = ['pending', 'processing', 'cancelling'] as const satisfies WorkStatus[];
export const isUnfinished = (status: string): boolean =>
  (unfinishedStatuses as readonly string[]).includes(status);

export const UserSummary = z
  .object({ id: Uuid, email: z.string(), name: z.string() })
  .meta({ id: 'UserSummary' });
export type UserSummary = z.infer<typeof UserSummary>;

/** Why work failed, in words for an engineer. */
export const WorkError = z
  .object({
    code: z.string(),
    detail: z.string(),
    missing: z.array(z.string()).optional().meta({ description: 'fields that a retry must supply' }),
    suggested: z.record(z.string(), z.unknown()).optional().meta({
      description: 'values for these fields suggested by the file, to prefill a form',
    }),
  })
  .meta({ id: 'WorkError' });
export type WorkError = z.infer<typeof WorkError>;
