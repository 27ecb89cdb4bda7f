/** A view that somebody presents while colleagues look on. Nothing of it is stored. */
import { z } from 'zod';
import { UserSummary, Uuid } from '../base/primitives.ts';
import { ViewStateFields } from './view-state.ts';

/** Where somebody looks: what moves from moment to moment. */
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
    presenterId: Uuid.meta({ description: 'the presenter: yourself to present, someone else to follow' }),
    place: SharedPlace.nullable().meta({ description: 'sent by the presenter only; null from followers' }),
    isLeaving: z
      .boolean()
      .default(false)
      .meta({ description: 'the last message: of a presenter it ends the session' }),
  })
  .meta({ id: 'SharedViewInput' });
export type SharedViewInput = z.infer<typeof SharedViewInput>;

export const SharedView = z
  .object({
    presenterId: Uuid,
    user: UserSummary.meta({ description: 'who says it' }),
    place: SharedPlace.nullable(),
    isLeaving: z.boolean(),
  })
  .meta({ id: 'SharedView' });
export type SharedView = z.infer<typeof SharedView>;
