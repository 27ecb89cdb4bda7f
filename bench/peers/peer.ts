/** Other programs that do what a kernel of ours does, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Figures } from '../kernels/figures.ts';

export interface RunningPeer {
  /** Does its operation once; seconds of that alone, without reading what it works on. */
  run(): Promise<number>;
  /** What the last run found. */
  result(): Promise<Figures>;
  /** of the process since it began to run the operation, with what it works on */
  peakMebibytes(): Promise<number>;
  stop(): void;
}

export interface Peer {
  name: string;
  /** of Debian */
  packages: readonly string[];
  start(): Promise<RunningPeer>;
}

async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** What a child says on its error output, kept for when it ends before its time. */
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
  // Nobody waits for it between two answers.
  ended.catch(() => undefined);
  return ended;
}

/** A program that stays: it says `ready`, then answers `run` and `result`, a line each; see protocol.py and itk.cpp. */
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
    // Without a line the process is about to say how it ended.
    return (value as string | undefined) ?? (await ended);
  };
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`);
    return answer();
  };
  const first = await answer();
  if (first !== 'ready') throw new Error(`${name} began with “${first}”`);
  // 5 sets the high-water mark back to what is resident now.
  await writeFile(`/proc/${child.pid}/clear_refs`, '5').catch(() => undefined);
  return {
    run: async () => Number(await ask('run')),
    result: async () => JSON.parse(await ask('result')) as Figures,
    peakMebibytes: () => peakOf(child.pid),
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
    const now = await peakOf(child.pid);
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
