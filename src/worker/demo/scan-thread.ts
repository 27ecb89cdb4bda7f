/** Thread of the simulated scanner: receives keys of parts, returns scans. */
import { serveCalls } from '#analyses/threads/serve-calls.ts';
import { inlinePool } from '#kernels/pool.ts';
import { loadKernels } from '../threads/pool.ts';
import { demoParts } from './parts.ts';
import { type DemoScale, simulate } from './simulate.ts';

export interface ScanRequest {
  key: string;
  scale: DemoScale;
}

const pool = inlinePool(await loadKernels());
serveCalls<ScanRequest>(({ key, scale }) => {
  const part = demoParts.find((each) => each.key === key);
  if (!part) throw new Error(`there is no part ${key} in the demo`);
  return simulate(part, scale, pool);
});
