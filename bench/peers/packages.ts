/** The Debian packages that the peers need. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Names of the installed packages in the output of `dpkg-query -W -f '${db:Status-Abbrev}${Package}
 * '`.
 */
export function installedIn(listing: string): Set<string> {
  const lines = listing.split('\n').map((line) => /^ii\s+(\S+)$/.exec(line)?.[1]);
  return new Set(lines.filter((name) => name !== undefined));
}

/** Packages installed on this machine; none when it is not Debian. */
export async function installedPackages(): Promise<Set<string>> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
  const format = '${db:Status-Abbrev}${Package}\\n';
  const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', format], {
    maxBuffer: 64 * 1024 ** 2,
  }).catch(() => ({ stdout: '' }));
  return installedIn(stdout);
}

export const listMissing = (needed: readonly string[], installed: ReadonlySet<string>): string[] =>
  needed.filter((name) => !installed.has(name));

/** Message of a row that could not be measured. */
export const notMeasured = (missing: readonly string[]): string =>
  `not measured: ${missing.length === 1 ? 'package' : 'packages'} ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
