/** Packs a volume for the graphics card off the main thread, so that the page never freezes. */
import { packVolume } from '#kernels/grid/pack-volume.ts';
import type { Volume } from '#kernels/grid/volume.ts';

self.onmessage = ({ data }: MessageEvent<{ volume: Volume; maxEdge: number }>) => {
  const packed = packVolume(data.volume, data.maxEdge);
  const { voxels, bricks } = packed;
  const transfer = [voxels.buffer, bricks.lowest.buffer, bricks.highest.buffer];
  self.postMessage(packed, { transfer });
};
