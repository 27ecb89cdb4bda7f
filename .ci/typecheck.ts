/** Type-checks every floor with its own tsconfig, so that kernels really see neither DOM nor Node. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const wanted = process.argv.slice(2);
const floors = readdirSync('src').filter((name) => existsSync(`src/${name}/tsconfig.json`));
let failed = 0;
for (const project of [...floors.map((name) => `src/${name}`), 'src']) {
  if (wanted.length > 0 && !wanted.includes(project)) continue;
  const { status } = spawnSync('node', ['node_modules/typescript/bin/tsc', '-p', project], {
    stdio: 'inherit',
  });
  if (status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
