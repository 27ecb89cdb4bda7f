import { DepthTexture, LinearFilter, type TextureDataType, UnsignedByteType, WebGLRenderTarget } from 'three';

export interface TargetKind {
  samples?: number;
  /** number of textures drawn at once */
  count?: number;
  type?: TextureDataType;
  /** whether its depth can be read */
  depth?: boolean;
}

/** Returns the target if it has this size and kind, otherwise replaces it. */
export function resizeTarget(
  target: WebGLRenderTarget | null,
  [width, height]: readonly [number, number],
  { samples = 0, count = 1, type = UnsignedByteType, depth = false }: TargetKind,
): WebGLRenderTarget {
  const isSame =
    target?.width === width &&
    target.height === height &&
    target.samples === samples &&
    target.textures.length === count;
  if (isSame) return target;
  target?.dispose();
  return new WebGLRenderTarget(width, height, {
    samples,
    count,
    type,
    magFilter: LinearFilter,
    ...(depth ? { depthTexture: new DepthTexture(width, height) } : {}),
  });
}
