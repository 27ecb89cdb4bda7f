/** A view that a presenter shares live with followers. Nothing of it is stored. */
import { z } from 'zod';
import { UserSummary, Uuid } from '../base/primitives.ts';
import { ViewStateFields } from './view-state.ts';

/** The parts of a view that change continuously: camera, cursor and planes. */
export const SharedPlace = z
  .strictObject({
    camera: ViewStateFields.shape.camera,
    cursorMm: ViewStateFields.shape.cursorMm,
    planes: ViewStateFields.shape.planes,
  })
  .meta({ id: 'SharedPlace' });
export type SharedPlace = z.infer<typeof SharedPlace>;

export const SharedViewInput = z
  .strictObject({
    presenterId: Uuid.meta({ description: 'the caller’s own id to present, another user’s to follow' }),
    place: SharedPlace.nullable().meta({ description: 'sent by the presenter; null from followers' }),
    isLeaving: z
      .boolean()
      .default(false)
      .meta({ description: 'true: last message of the sender; from the presenter, it ends the shared view' }),
  })
  .meta({ id: 'SharedViewInput' });
export type SharedViewInput = z.infer<typeof SharedViewInput>;

export const SharedView = z
  .object({
    presenterId: Uuid,
    user: UserSummary.meta({ description: 'sender' }),
    place: SharedPlace.nullable(),
    isLeaving: z.boolean(),
  })
  .meta({ id: 'SharedView' });
export type SharedView = z.infer<typeof SharedView>;
