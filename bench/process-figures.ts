/** What a process has used: peak memory and seconds of all its threads. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Peaks count from here on; on Linux alone. */
export function startPeak(): void {
  try {
    // 5 sets the high-water mark back to what is resident now.
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // elsewhere the peak is of the process so far
  }
}

export function peakMebibytes(): number {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    if (line) return Number(line[1]) / 1024;
  } catch {
    // no such file outside of Linux
  }
  return process.resourceUsage().maxRSS / 1024;
}

export const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
