/** What the metadata of a textured mesh says of its picture, read leniently. */
import { z } from 'zod';

const number = z.number().nullable().catch(null).default(null);

const Texture = z.object({
  shows: z.string().catch('').default(''),
  unit: z.string().catch('').default(''),
  low: number,
  high: number,
  depthMm: number,
  sizePx: number,
  texelMm: number,
  charts: number,
  usedShare: number,
  stretch: z.object({ mean: number, max: number }).nullable().catch(null).default(null),
});
export type TextureResult = z.infer<typeof Texture>;

/** null for a mesh without a texture. */
export function readTexture(metadata: Record<string, unknown>): TextureResult | null {
  return Texture.safeParse(metadata['texture']).data ?? null;
}
