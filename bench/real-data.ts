/**
 * `npm run accuracy -- --data <folder>`: published or independently measured values for the files in the folder, beside
 * this project's results, with the reason for each difference. `--only volumes,cad,pairs,radiographs` selects some of
 * it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startThreadPool } from '#worker/threads/pool.ts';
import { cadRows } from './real-data/cad.ts';
import { pairRows } from './real-data/pairs.ts';
import { printRows } from './real-data/published.ts';
import { radiographRows } from './real-data/radiographs.ts';
import { closeSources } from './real-data/sources.ts';
import { volumeRows } from './real-data/volumes.ts';

const parts = [
  { name: 'volumes', title: 'Volumes', rowsOf: volumeRows },
  { name: 'cad', title: 'CAD and meshes', rowsOf: cadRows },
  { name: 'pairs', title: 'Registration pairs', rowsOf: pairRows },
  { name: 'radiographs', title: 'Radiographs', rowsOf: radiographRows },
];

/** @returns the exit code */
export async function measureRealData(folder: string, only?: string): Promise<number> {
  if (!existsSync(join(folder, 'volumes'))) {
    console.error(`There is no folder ${join(folder, 'volumes')}; give the folder of the data after --data.`);
    return 1;
  }
  const names = only?.split(',');
  const unknown = names?.find((name) => parts.every((part) => part.name !== name));
  if (unknown !== undefined) {
    console.error(`--only knows ${parts.map(({ name }) => name).join(', ')}, not ${unknown}.`);
    return 1;
  }
  const pool = await startThreadPool();
  try {
    for (const { name, title, rowsOf } of parts) {
      if (names && !names.includes(name)) continue;
      printRows(title, await rowsOf(folder, pool));
      await closeSources();
    }
  } finally {
    await pool.close();
  }
  return 0;
}
