/**
 * `node bench/defect-probability.ts [first seed] [scans]`: compares the stated probabilities of defects with the share
 * that is real, on simulated scans with noise, rings, streaks, cupping and sharpening filters; also prints the weights
 * that these scans would give (`kernels/integrity/defect-probability.ts`). The weights were fitted on other seeds than
 * the figures of docs/uncertainty.md.
 */
import { listReal } from '#analyses/testing/defect-truth.ts';
import { runIntegrity } from '#analyses/testing/integrity-run.ts';
import { makeInput } from '#analyses/testing/scan-run.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import {
  type DefectClass,
  type DefectEvidence,
  defectClasses,
  listEvidence,
} from '#kernels/integrity/defect-probability.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { seededRandom } from '#kernels/random.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { carve } from '#kernels/testing/carve.ts';
import { addArtefacts } from '#kernels/testing/families/artefacts.ts';
import { type FlawedPart, flawedPart, type VoidShape } from '#kernels/testing/families/flawed-parts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { emptyVolume, type RenderedPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';

const dimensions: Vector3 = [56, 56, 56];

/** Rendered with partial volume, then blurred: accurate enough to distinguish flaws from artefacts, and fast. */
function renderQuickly({ body, phases }: FlawedPart, blur: number): RenderedPart {
  const volume = renderBody(body, { dimensions, voxelSizeMm: [1, 1, 1], dataType: 'float32' });
  const [low, high] = [8000, 40_000];
  for (const { body: within, share } of phases) carve(volume, [within], low + share * (high - low));
  blurVolume(volume, blur);
  const heights = Float32Array.from(volume.data, (value) => (value - low) / (high - low));
  return { dimensions, voxelSizeMm: [1, 1, 1], heights, volumeMm3: Number.NaN, areaMm2: Number.NaN };
}

/** @param cut planes to leave out at x−, x+, y−, y+, z− and z+ */
function cropPart(rendered: RenderedPart, cut: readonly number[]): RenderedPart {
  const [nx, ny] = rendered.dimensions;
  const size = rendered.dimensions.map((n, k) => n - cut[2 * k] - cut[2 * k + 1]) as Vector3;
  const heights = new Float32Array(size[0] * size[1] * size[2]);
  for (let z = 0, to = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++, to++)
        heights[to] = rendered.heights[((z + cut[4]) * ny + y + cut[2]) * nx + x + cut[0]];
  return { ...rendered, dimensions: size, heights };
}

/** Like a reconstruction filter that steepens edges and overshoots. */
function sharpenPart(rendered: RenderedPart, blur: number, share: number): RenderedPart {
  const soft = emptyVolume(rendered);
  const data = rendered.heights.slice();
  blurVolume({ ...soft, dataType: 'float32', data }, blur);
  return { ...rendered, heights: rendered.heights.map((height, i) => height + share * (height - data[i])) };
}

/**
 * Contrast to noise from 3 to 30. Half of the scans have rings and two fifths have streaks, of 0.2 to 1.2 of the
 * contrast; two fifths have cupping, a quarter grain, a seventh sharpening; three tenths are cut by the border; a fifth
 * have no flaw.
 */
function simulateScan(seed: number) {
  const random = seededRandom(177_000 + seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const shapes: VoidShape[] = ['ball', 'ball', 'ball', 'pit', 'pit', 'slot', 'pair', 'cluster', 'sheet'];
  shapes.push('sponge', 'crack', 'fissure', 'fissure', 'bore', 'light');
  if (random() < 0.5) shapes.push('inclusion', 'inclusion', 'inclusion', 'splinter', 'splinter', 'splinter');
  if (random() < 0.3) shapes.push('rift', 'rift', 'rift', 'rift', 'rift', 'rift');
  const count = random() < 0.2 ? 0 : Math.floor(between(2, 14));
  const part = flawedPart(seed, { shapes, count, radii: [1, between(2, 4.5)], gap: between(1.5, 3) });
  const contrastToNoise = 3 * 10 ** random();
  const grain = random() < 0.25 ? between(0.5, 1) : 0;
  const cupping = random() < 0.4 ? between(0.05, 0.4) : 0;
  const blur = between(0.4, 0.9);
  const pickLines = () => ({ height: 0.2 * 6 ** random(), count: Math.ceil(between(4, 20)) });
  const pickRings = () => ({
    ...pickLines(),
    offAxis: random() < 0.5 ? 0 : between(0, 10),
    cores: random() < 0.5 ? Math.ceil(6 * random()) : 0,
  });
  const rings = random() < 0.5 ? pickRings() : undefined;
  const streaks = random() < 0.4 ? pickLines() : undefined;
  const cut = [0, 0, 0, 0, 0, 0];
  if (random() < 0.3)
    for (let n = Math.ceil(3 * random()); n > 0; n--)
      cut[Math.floor(6 * random())] = Math.floor(between(8, 24));
  const kinds = ['porosity', 'inclusion', ...(random() < 0.5 ? ['crack'] : [])];
  const dirty = cropPart(addArtefacts(renderQuickly(part, blur), { rings, streaks, seed }), cut);
  const sharp = random() < 0.15 ? sharpenPart(dirty, between(0.5, 1), between(0.5, 1.5)) : dirty;
  const shift = [0, 1, 2].map((k) => (cut[2 * k] - cut[2 * k + 1]) / 2) as Vector3;
  return { part, kinds, shift, scan: impairPart(sharp, { contrastToNoise, grain, cupping, seed }) };
}

interface Candidate {
  seed: number;
  class: DefectClass;
  evidence: number[];
  probability: number;
  isReal: boolean;
  /** keeps scans with many candidates from outweighing the others */
  weight: number;
}

const pool = inlinePool(await kernelModule());
const maxPerScan = 12;

async function listCandidates(seed: number): Promise<Candidate[]> {
  const { part, kinds, shift, scan } = simulateScan(seed);
  const input = await makeInput(scan, pool);
  const quality = await judgeScan(input);
  try {
    const run = await runIntegrity(input, pool, { minSignificance: 3, kinds }, quality);
    const { materialGrey, airGrey } = run.metadata;
    const noise = run.metadata.noise / (materialGrey - airGrey);
    const real = listReal(run.defects, run.files, part, shift);
    const found = run.defects.map((defect) => {
      const { kind, surfaceConnected, probability, boundsMm } = defect;
      const itsClass: DefectClass = kind === 'porosity' ? (surfaceConnected ? 'open' : 'closed') : kind;
      // Voxels are 1 mm.
      const measures = { volumeVoxels: defect.volumeMm3, areaFaces: defect.areaMm2, noise };
      const box = boundsMm.max.map((n, k) => n - boundsMm.min[k]);
      const known: DefectEvidence = { ...defect, ...measures, class: itsClass, box };
      const evidence = listEvidence(known);
      return { seed, class: itsClass, evidence, probability, isReal: real.has(defect.id) };
    });
    const alike = Map.groupBy(found, (each) => `${each.class} ${each.isReal}`);
    return found.map((each) => ({
      ...each,
      weight: Math.min(1, maxPerScan / (alike.get(`${each.class} ${each.isReal}`)?.length ?? 1)),
    }));
  } catch (error) {
    if (error instanceof KernelError) return [];
    throw error;
  }
}

/** Logistic regression by Newton’s method; all weights except the constant are weakly regularized towards 0. */
function fitWeights(candidates: readonly Candidate[], pull = 0.5): number[] {
  const size = candidates[0]?.evidence.length ?? 0;
  let weights = new Array<number>(size).fill(0);
  for (let step = 0; step < 30; step++) {
    const rows = weights.map((weight, i) => [
      ...weights.map((_, j) => (i === j ? (i === 0 ? 1e-9 : pull) : 0)),
      i === 0 ? 0 : -pull * weight,
    ]);
    for (const { evidence, isReal: real, weight } of candidates) {
      const p = 1 / (1 + Math.exp(-evidence.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)));
      for (const [i, row] of rows.entries()) {
        const here = weight * (evidence[i] ?? 0);
        for (const [j, value] of evidence.entries()) row[j] = (row[j] ?? 0) + here * p * (1 - p) * value;
        row[size] = (row[size] ?? 0) + here * (Number(real) - p);
      }
    }
    const change = solve(rows);
    weights = weights.map((weight, i) => weight + (change[i] ?? 0));
  }
  return weights;
}

/** Gauss–Jordan elimination for a positive definite system with its right side as last column. */
function solve(rows: number[][]): number[] {
  for (const [i, pivot] of rows.entries()) {
    for (const [k, row] of rows.entries()) {
      if (k === i) continue;
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
      for (let j = i; j < row.length; j++) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  }
  return rows.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1));
}

const [first = 5000, scans = 60] = process.argv.slice(2).map(Number);
const all: Candidate[] = [];
for (let seed = first; seed < first + scans; seed++) all.push(...(await listCandidates(seed)));
const edges = [0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 1.01];
for (const name of defectClasses) {
  const candidates = all.filter((each) => each.class === name);
  console.log(`${name}: ${candidates.length}, ${candidates.filter((each) => !each.isReal).length} not real`);
  for (const [i, low] of edges.slice(0, -1).entries()) {
    const within = candidates.filter(
      ({ probability }) => probability >= low && probability < (edges[i + 1] ?? 0),
    );
    const weight = within.reduce((sum, each) => sum + each.weight, 0);
    const mean = (of: (each: Candidate) => number) =>
      within.reduce((sum, each) => sum + each.weight * of(each), 0) / weight;
    if (within.length > 0)
      console.log(
        `p from ${low}: ${within.length}, weight ${weight.toFixed(1)}, mean p ${mean((each) => each.probability).toFixed(3)}, real ${mean((each) => Number(each.isReal)).toFixed(3)}`,
      );
  }
  const weights = fitWeights(candidates).map((weight) => weight.toFixed(2));
  console.log('weights', weights.join(', '));
}
