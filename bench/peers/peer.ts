/** Other programs that do the same as one of our kernels, each in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Figures } from '../kernels/figures.ts';

export interface RunningPeer {
  /** Runs its operation once; seconds of the operation alone, without reading the input. */
  run(): Promise<number>;
  /** The result of the last run. */
  result(): Promise<Figures>;
  /** peak memory of the process since the operation began, including its input */
  peakMebibytes(): Promise<number>;
  stop(): void;
}

export interface Peer {
  name: string;
  /** Debian packages */
  packages: readonly string[];
  start(): Promise<RunningPeer>;
}

async function readPeak(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Collects the error output of a child, to report it when the child ends early. */
function watched(child: ChildProcess, name: string) {
  let said = '';
  const keep = (text: Buffer) => {
    said = (said + text.toString()).slice(-2000);
  };
  child.stderr?.on('data', keep);
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}: ${said.trim()}`)));
  });
  // Nothing awaits it between two responses.
  ended.catch(() => undefined);
  return ended;
}

/**
 * Starts a program that stays running: it prints `ready`, then responds to `run` and `result` with a line each; see
 * protocol.py and itk.cpp.
 */
export async function startServing(
  name: string,
  command: string,
  options: readonly string[],
): Promise<RunningPeer> {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = watched(child, name);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value } = await Promise.race([lines.next(), ended]);
    // Without a line, the process has ended; its exit gives the reason.
    return (value as string | undefined) ?? (await ended);
  };
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`);
    return answer();
  };
  const first = await answer();
  if (first !== 'ready') throw new Error(`${name} began with “${first}”`);
  // 5 resets the peak to the current resident size.
  await writeFile(`/proc/${child.pid}/clear_refs`, '5').catch(() => undefined);
  return {
    run: async () => Number(await ask('run')),
    result: async () => JSON.parse(await ask('result')) as Figures,
    peakMebibytes: () => readPeak(child.pid),
    stop: () => {
      child.stdin.end();
    },
  };
}

/** Runs a program once, to its end. */
export async function runOnce(
  name: string,
  command: string,
  options: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ output: string; peakMebibytes: number }> {
  const child = spawn(command, options, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let peakMebibytes = 0;
  const timer = setInterval(async () => {
    const now = await readPeak(child.pid);
    if (now > peakMebibytes) peakMebibytes = now;
  }, 50);
  let output = '';
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${said.trim()}`);
  return { output, peakMebibytes };
}
