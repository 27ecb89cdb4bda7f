/**
 * `npm run bench`: every measurement that has a limit, as tables, and as JSON in test-results/bench.json. Words choose
 * a part: `npm run bench -- lists`, `bulk`, `viewer`, `kernels`; for kernels also edges and names, as in `npm run bench
 * -- kernels 256 median`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import { benchBulk, reportBulkTimes } from './bulk.ts';
import { rows } from './kernels/rows.ts';
import { benchKernels, reportKernels } from './kernels.ts';
import { benchListProjects, reportListTimes } from './list-projects.ts';
import { benchViewer, reportViewer } from './viewer.ts';

const parts = ['lists', 'bulk', 'viewer', 'kernels'];
const words = process.argv.slice(2);
const kernelWords = rows.map(({ word }) => word);
const unknown = words.filter(
  (word) =>
    ![...parts, ...kernelWords].includes(word) && !(Number.isInteger(Number(word)) && Number(word) >= 64),
);
if (unknown.length > 0) {
  console.error(
    `“${unknown.join(' ')}” is nothing to measure: ${parts.join(', ')}; of kernels ${kernelWords.join(', ')} and edges of 64 cells or more`,
  );
  process.exit(2);
}
const wantsAll = words.length === 0;
const wants = (part: string) => wantsAll || words.includes(part);
const wantsKernels = wants('kernels') || words.some((word) => kernelWords.includes(word));
const folder = path.join(import.meta.dirname, '..', 'test-results');
const startedAt = new Date().toISOString();
// The load of the machine shows how far to trust the times.
const loadBefore = loadavg()[0];
// First, while nothing else is in memory.
const kernels = wantsKernels ? await benchKernels(words) : undefined;
const lists = wants('lists') ? await benchListProjects() : undefined;
const bulk = wants('bulk') ? await benchBulk() : undefined;
const viewer = wants('viewer') ? await benchViewer() : undefined;
const isWithinLimits = [
  kernels ? reportKernels(kernels) : true,
  lists ? reportListTimes(lists) : true,
  bulk ? reportBulkTimes(bulk) : true,
  viewer ? reportViewer(viewer) : true,
].every(Boolean);
const machine = {
  processor: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  loadBefore,
};
await mkdir(folder, { recursive: true });
const file = path.join(folder, 'bench.json');
const report = { startedAt, machine, isWithinLimits, lists, bulk, viewer, kernels };
await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
console.log(`written to ${path.relative(process.cwd(), file)}`);
if (!isWithinLimits) process.exitCode = 1;
