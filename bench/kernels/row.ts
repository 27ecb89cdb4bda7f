/** Defines a row of the bench, and data shared by several rows. */
import type { KernelPool } from '#kernels/arena.ts';
import type { Peer } from '../peers/peer.ts';
import type { Agreement, Figures } from './figures.ts';
import { castFile, type VolumeFile } from './scene.ts';

/** Our implementation, ready to run with its input loaded. */
export interface Ours {
  /** Runs the operation once; seconds of the operation alone. */
  run(): Promise<number>;
  /** The result of the last run. */
  result(): Promise<Figures>;
}

export interface Rival {
  peer: Peer;
  /** how many times faster ours must be; undefined: measured without a limit */
  atLeast: number | undefined;
  agreement: Agreement;
}

export interface Place {
  pool: KernelPool;
  /** for temporary files, removed in the end */
  folder: string;
  edge: number;
}

export interface Row {
  /** word that selects the row on the command line */
  word: string;
  name: string;
  prepare(place: Place): Promise<{
    rivals: Rival[];
    /** keeps ours ready while `work` runs */
    withOurs(work: (ours: Ours) => Promise<void>): Promise<void>;
  }>;
}

export const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** The cast part is drawn once for all rows of an edge. */
let cast: { edge: number; made: Promise<VolumeFile> } | undefined;
export const openCast = ({ folder, edge }: Place): Promise<VolumeFile> => {
  if (cast?.edge !== edge) cast = { edge, made: castFile(folder, edge) };
  return cast.made;
};
