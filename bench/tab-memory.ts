/** Memory of a Chromium tab: of its renderer process and of the GPU process. */
import { readFileSync } from 'node:fs';
import type { PlainTab } from './plain-tab.ts';

/** in megabytes of 10⁶ bytes */
export interface TabMemory {
  /** private memory of the tab's process, freed with the tab */
  ownMB: number;
  /** including its proportional share of shared memory, such as the browser's program itself */
  proportionalMB: number;
  /** JavaScript objects, and the buffers that they own */
  heapMB: number;
  buffersMB: number;
  /** the GPU process; with software rendering it also holds what would be in graphics memory */
  graphicsMB: number;
}

/** Each measurement makes the system walk all pages of a process. */
const LOOK_AGAIN_MS = 333;

interface ProcessMemory {
  ownMB: number;
  proportionalMB: number;
}

/** Linux only. */
function readProcess(id: number): ProcessMemory {
  const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024) / 1e6;
  return {
    ownMB: megabytes('Private_Dirty') + megabytes('Private_Clean') + megabytes('SwapPss'),
    proportionalMB: megabytes('Pss') + megabytes('SwapPss'),
  };
}

export interface WatchedTab {
  /** @param collected after a garbage collection, as the browser runs when memory is short */
  measure(collected: boolean): Promise<TabMemory>;
  /** the largest values since the previous call, sampled three times a second */
  takePeak(): { ownMB: number; graphicsMB: number };
  stop(): void;
}

export async function watchTab({ connection, browser }: PlainTab): Promise<WatchedTab> {
  const { processInfo } = (await browser.send('SystemInfo.getProcessInfo')) as {
    processInfo: { type: string; id: number }[];
  };
  const listIds = (type: string) => processInfo.filter((each) => each.type === type).map(({ id }) => id);
  // A browser keeps an empty process in reserve; the tab's is the larger one.
  const [tab] = listIds('renderer').sort((a, b) => readProcess(b).ownMB - readProcess(a).ownMB);
  const [graphics] = listIds('GPU');
  if (tab === undefined) throw new Error('the tab has no process of its own');
  const readGraphics = () => (graphics === undefined ? 0 : readProcess(graphics).ownMB);
  let peak = { ownMB: 0, graphicsMB: 0 };
  const look = () => {
    peak = {
      ownMB: Math.max(peak.ownMB, readProcess(tab).ownMB),
      graphicsMB: Math.max(peak.graphicsMB, readGraphics()),
    };
  };
  const timer = setInterval(look, LOOK_AGAIN_MS);
  return {
    async measure(collected) {
      if (collected) await connection.send('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = (await connection.send('Runtime.getHeapUsage')) as {
        usedSize: number;
        backingStorageSize?: number;
      };
      return {
        ...readProcess(tab),
        heapMB: usedSize / 1e6,
        buffersMB: (backingStorageSize ?? 0) / 1e6,
        graphicsMB: readGraphics(),
      };
    },
    takePeak() {
      look();
      const taken = peak;
      peak = { ownMB: 0, graphicsMB: 0 };
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
