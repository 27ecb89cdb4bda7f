/** `npm run bench`: every measurement that has a limit, as tables, and as JSON in test-results/bench.json. */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import { benchBulk, reportBulkTimes } from './bulk.ts';
import { benchListProjects, reportListTimes } from './list-projects.ts';

const folder = path.join(import.meta.dirname, '..', 'test-results');
const startedAt = new Date().toISOString();
// What else the machine was doing says how to take the times.
const loadBefore = loadavg()[0];
const lists = await benchListProjects();
const bulk = await benchBulk();
const isWithinLimits = [reportListTimes(lists), reportBulkTimes(bulk)].every(Boolean);
const machine = {
  processor: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  loadBefore,
};
await mkdir(folder, { recursive: true });
const file = path.join(folder, 'bench.json');
await writeFile(file, `${JSON.stringify({ startedAt, machine, isWithinLimits, lists, bulk }, null, 2)}\n`);
console.log(`written to ${path.relative(process.cwd(), file)}`);
if (!isWithinLimits) process.exitCode = 1;
