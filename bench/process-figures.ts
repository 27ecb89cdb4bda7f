/** Resources used by a process: peak memory and CPU seconds of all its threads. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Restarts the measurement of peak memory; Linux only. */
export function startPeak(): void {
  try {
    // 5 resets the peak to the current resident size.
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // elsewhere, the peak covers the process so far
  }
}

export function peakMebibytes(): number {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    if (line) return Number(line[1]) / 1024;
  } catch {
    // the file exists only on Linux
  }
  return process.resourceUsage().maxRSS / 1024;
}

export const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
