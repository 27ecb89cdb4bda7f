/** How each peer is started. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Figures } from '../kernels/figures.ts';
import { type Peer, type RunningPeer, runOnce, startServing } from './peer.ts';

const here = import.meta.dirname;
// Debian's own Python, which sees Debian's packages; another one may come first on the path.
const python = '/usr/bin/python3';

const inPython = (script: string, options: readonly string[]) => () =>
  startServing(script, python, ['-B', path.join(here, script), ...options]);

export const vtk = (operation: string, file: string, edge: number): Peer => ({
  name: 'VTK',
  packages: ['python3-vtk9', 'python3-numpy'],
  start: inPython('vtk_peer.py', [operation, file, `${edge}`]),
});

export const scipy = (operation: string, file: string, edge: number): Peer => ({
  name: 'SciPy',
  packages: ['python3-scipy', 'python3-numpy'],
  start: inPython('scipy_peer.py', [operation, file, `${edge}`]),
});

/** @param folder where the program is built, once */
export const itk = (operation: string, file: string, edge: number, folder: string): Peer => ({
  name: operation === 'recursive-gauss' ? 'ITK (recursive)' : 'ITK',
  packages: ['libinsighttoolkit5-dev', 'g++'],
  start: async () => startServing('itk', await builtItk(folder), [operation, file, `${edge}`]),
});

const built = new Map<string, Promise<string>>();

function builtItk(folder: string): Promise<string> {
  const known = built.get(folder);
  if (known) return known;
  const program = path.join(folder, 'itk_peer');
  const libraries = ['ITKSmoothing', 'ITKCommon', 'itkvnl_algo', 'itkvnl', 'itksys'];
  const options = [
    '-std=c++17',
    '-O3',
    '-march=native',
    '-I/usr/include/ITK-5.2',
    path.join(here, 'itk.cpp'),
  ];
  const linked = [...options, '-o', program, ...libraries.map((name) => `-l${name}-5.2`)];
  const building = promisify(execFile)('g++', linked).then(() => program);
  built.set(folder, building);
  return building;
}

/** Embree, as Open3D uses it. */
export const open3d = (points: string, mesh: string): Peer => ({
  name: 'Open3D (Embree)',
  packages: ['python3-open3d', 'python3-numpy'],
  start: inPython('open3d_peer.py', [points, mesh]),
});

/** A program that exits after its work: it is started again for each run. */
function startingAnew(
  once: () => Promise<{ seconds: number; peakMebibytes: number; figures: () => Promise<Figures> }>,
) {
  return async (): Promise<RunningPeer> => {
    let peak = 0;
    let last: (() => Promise<Figures>) | undefined;
    return {
      async run() {
        const { seconds, peakMebibytes, figures } = await once();
        peak = Math.max(peak, peakMebibytes);
        last = figures;
        return seconds;
      },
      async result() {
        if (!last) throw new Error('it has not run');
        return last();
      },
      peakMebibytes: async () => peak,
      stop: () => undefined,
    };
  };
}

function numberAfter(output: string, pattern: RegExp): number {
  const value = Number(pattern.exec(output)?.[1] ?? Number.NaN);
  if (Number.isNaN(value)) throw new Error(`no match of ${pattern} in: ${output.slice(-1000)}`);
  return value;
}

/** Its reported time for the distances, without reading the files and without the first estimate of the distances. */
export const cloudCompare = (points: string, mesh: string): Peer => ({
  name: 'CloudCompare',
  packages: ['cloudcompare'],
  start: startingAnew(async () => {
    const options = ['-SILENT', '-AUTO_SAVE', 'OFF', '-O', points, '-O', mesh, '-C2M_DIST'];
    // Without a display.
    const { output, peakMebibytes } = await runOnce('CloudCompare', 'CloudCompare', options, {
      QT_QPA_PLATFORM: 'offscreen',
    });
    return {
      seconds: numberAfter(output, /\[ComputeDistances\] Time: ([\d.]+) s/),
      peakMebibytes,
      figures: async () => ({ signedMeanMm: numberAfter(output, /Mean distance = (-?[\d.]+)/) }),
    };
  }),
});

/** Its reported time for the back-projection, without filtering, reading and writing. */
export const plastimatch = (
  projections: string,
  grid: { edge: number; sizeMm: number },
  target: string,
  makeFigures: (voxels: Float32Array) => Figures,
): Peer => ({
  name: 'plastimatch',
  packages: ['plastimatch'],
  start: startingAnew(async () => {
    const cells = Array.from({ length: 3 }, () => grid.edge).join(' ');
    const size = Array.from({ length: 3 }, () => grid.sizeMm).join(' ');
    const options = ['fdk', '-I', projections, '-r', cells, '-z', size, '-O', target];
    const { output, peakMebibytes } = await runOnce('plastimatch', 'plastimatch', options);
    return {
      seconds: numberAfter(output, /Backprojection time = ([\d.]+)/),
      peakMebibytes,
      async figures() {
        const file = await readFile(target);
        const bytes = 4 * grid.edge ** 3;
        return makeFigures(new Float32Array(file.buffer.slice(file.byteOffset + file.length - bytes)));
      },
    };
  }),
});

/** Projections of a volume by plastimatch: `<folder>/p_0000.pfm` and following, with their geometry beside them. */
export async function drawProjections(
  volume: string,
  folder: string,
  { angles, edge, detectorMm }: { angles: number; edge: number; detectorMm: number },
): Promise<void> {
  const options = ['drr', '-t', 'pfm', '-a', `${angles}`, '-N', `${360 / angles}`, '-r', `${edge} ${edge}`];
  const taken = ['--sad', '1000', '--sid', '1500', '-z', `${detectorMm} ${detectorMm}`, '-P', 'none'];
  await runOnce('plastimatch', 'plastimatch', [...options, ...taken, '-O', path.join(folder, 'p_'), volume]);
}
