/** Thread that runs `PlaneDigest` for one volume after the other. */
import { serveCalls } from '#analyses/threads/serve-calls.ts';
import type { Vector3, VoxelArray } from '#kernels/grid/volume.ts';
import { type Digest, PlaneDigest } from './plane-digest.ts';

/** `begin`: a volume with these dimensions; then its planes in shared memory; then the request for the result. */
export type DigestCall = { begin: Vector3 } | { planes: VoxelArray } | { take: true };

let digest: PlaneDigest | undefined;

serveCalls<DigestCall>((call): Digest | undefined => {
  if ('begin' in call) digest = new PlaneDigest(call.begin);
  else if ('planes' in call) digest?.add(call.planes);
  else return digest?.take();
  return undefined;
});
