/** The user and environment with which the built-in PostgreSQL is started. */
import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseUnavailable, reachableByOthers } from './embedded-binaries.ts';

const run = promisify(execFile);

/** user “nobody” on every Linux distribution; owns none of our other files */
export const SERVER_UID = 65534;

export interface Launch {
  /** starts a program as the server's user */
  command(
    program: string,
    args: string[],
  ): { file: string; args: string[]; options: { uid?: number; gid?: number } };
  asOther: boolean;
  withCapability: boolean;
}

export const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();

/** @throws DatabaseUnavailable when no user may start it on this folder */
export async function chooseLaunch(directory: string): Promise<Launch> {
  if (process.getuid?.() !== 0) {
    return { command: (file, args) => ({ file, args, options: {} }), asOther: false, withCapability: false };
  }
  if (await reachableByOthers(path.join(directory, 'data'))) {
    const ids = { uid: SERVER_UID, gid: SERVER_UID };
    return { command: (file, args) => ({ file, args, options: ids }), asOther: true, withCapability: false };
  }
  // Beyond access to its own files, the server only needs to traverse folders it may not enter.
  const prefix = [
    `--reuid=${SERVER_UID}`,
    `--regid=${SERVER_UID}`,
    '--clear-groups',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
  ];
  try {
    await run('setpriv', [...prefix, 'ls', directory]);
  } catch (cause) {
    throw new DatabaseUnavailable(
      `PostgreSQL does not run as root, and user ${SERVER_UID} can't enter ${directory}: ` +
        'start as an ordinary user, or choose a data folder whose parents everybody may enter, or set DATABASE_URL',
      { cause },
    );
  }
  return {
    command: (file, args) => ({ file: 'setpriv', args: [...prefix, file, ...args], options: {} }),
    asOther: true,
    withCapability: true,
  };
}

export async function ownByServer(file: string, launch: Launch): Promise<void> {
  if (launch.asOther) await chown(file, SERVER_UID, SERVER_UID);
}

/** Hides PG* variables and the machine's locale from the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}
