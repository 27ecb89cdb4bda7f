/** CPU time of a running service, as counted by Linux. */
import { readdir, readFile } from 'node:fs/promises';

/** unit of /proc/<pid>/stat: sysconf(_SC_CLK_TCK), 100 on every Linux */
const TICK_MS = 10;

/** CPU time in milliseconds of a process and all its descendants so far. */
export async function computedMs(root: number): Promise<number | undefined> {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) continue;
    // Fields after the program name, which may contain any character: state, parent, … user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(fields[1]));
    ticks.set(Number(name), Number(fields[11]) + Number(fields[12]));
  }
  if (!ticks.has(root)) return undefined;
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  let sum = 0;
  for (const [pid, own] of ticks) if (isBelow(pid)) sum += own * TICK_MS;
  return sum;
}
