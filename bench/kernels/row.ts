/** What a row of the bench is, and what several of them work on. */
import type { KernelPool } from '#kernels/pool.ts';
import type { Peer } from '../peers/peer.ts';
import type { Agreement, Figures } from './figures.ts';
import { castFile, type VolumeFile } from './scene.ts';

/** Ours, ready to run: the input is there. */
export interface Ours {
  /** Does the operation once; seconds of that alone. */
  run(): Promise<number>;
  /** What the last run found. */
  result(): Promise<Figures>;
}

export interface Rival {
  peer: Peer;
  /** how many times faster ours has to be; undefined: it is measured, and that is all */
  atLeast: number | undefined;
  agreement: Agreement;
}

export interface Place {
  pool: KernelPool;
  /** for files, removed in the end */
  folder: string;
  edge: number;
}

export interface Row {
  /** by which it is asked for */
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
export const castOf = ({ folder, edge }: Place): Promise<VolumeFile> => {
  if (cast?.edge !== edge) cast = { edge, made: castFile(folder, edge) };
  return cast.made;
};
