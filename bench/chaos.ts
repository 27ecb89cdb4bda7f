/**
 * `npm run chaos`: kills service, worker, database and analysis processes at random moments while users upload,
 * analyse, run recipes, change many projects, export, render and read; then prints what was done and what was lost.
 * `npm run chaos -- kills=300 seed=1`; fails when something was lost, hung longer than 30 s, or got a wrong response.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../src/kernels/random.ts';
import { Product, type Victim } from './chaos/product.ts';
import { Users } from './chaos/users.ts';
import { describeHang, query, Watch } from './chaos/watch.ts';

/** Per hundred kills. */
const shares: [Victim, number][] = [
  ['service', 30],
  ['worker', 30],
  ['database', 15],
  ['connection', 10],
  ['process', 13],
  ['everything', 2],
];
const PAUSE_MS = { least: 300, most: 4000 };
/** Kills come in bursts of up to this many; after each burst everything must recover within the limit. */
const MAX_IN_A_ROW = 6;
const LIMIT_SECONDS = 30;

const readWord = (name: string, otherwise: number): number => {
  const word = process.argv.slice(2).find((each) => each.startsWith(`${name}=`));
  return word === undefined ? otherwise : Number(word.slice(name.length + 1));
};
const [wanted, seed] = [readWord('kills', 300), readWord('seed', 1)];
const random = seededRandom(seed);

function pickVictim(): Victim {
  let at = 100 * random();
  for (const [victim, share] of shares) {
    at -= share;
    if (at < 0) return victim;
  }
  return 'service';
}

/** Resolves with the seconds until the service responds and a live worker holds every operation. */
async function goesOn(product: Product, watch: Watch): Promise<number> {
  const since = performance.now();
  const secondsFrom = (moment: number) => (performance.now() - moment) / 1000;
  let isDescribed = false;
  for (;;) {
    if (!isDescribed && secondsFrom(since) > LIMIT_SECONDS) {
      isDescribed = true;
      console.log(await describeHang(product));
    }
    const askedAt = performance.now();
    const answer = await product.sendOnce('/api/v2/me', {}).catch(() => undefined);
    if (secondsFrom(askedAt) > LIMIT_SECONDS) hung.push(`an answer took ${secondsFrom(askedAt)} s`);
    if ((answer?.ok && watch.calmAt > since) || secondsFrom(since) > 4 * LIMIT_SECONDS)
      return secondsFrom(since);
    await delay(100);
  }
}

/** Entries that remain in the queue after everything that users wait for has finished. */
async function queueEmpties(product: Product): Promise<string[]> {
  for (let i = 0; ; i += 1) {
    const rows = await query<{ kind: string; id: string }>(product, 'select kind, id from work_queue');
    if (rows.length === 0 || i > 60) return rows.map(({ kind, id }) => `${kind} ${id} stays in the queue`);
    await delay(1000);
  }
}

const startedAt = performance.now();
const product = await Product.start();
const kills = new Map<Victim, number>();
/** seconds from the last kill of a burst until the service responds and all operations continue */
const recoveries: number[] = [];
const hung: string[] = [];
try {
  const users = new Users(product);
  await users.prepare();
  const watch = new Watch(product);
  let isOver = false;
  const busy = users.run(seed, () => isOver);
  for (let done = 0; done < wanted; ) {
    const row: Victim[] = [];
    for (const most = 1 + Math.floor(MAX_IN_A_ROW * random()); row.length < most && done < wanted; ) {
      await delay(PAUSE_MS.least + (PAUSE_MS.most - PAUSE_MS.least) * random());
      const victim = pickVictim();
      if (!(await product.kill(victim, random))) continue;
      kills.set(victim, (kills.get(victim) ?? 0) + 1);
      row.push(victim);
      done += 1;
    }
    const seconds = await goesOn(product, watch);
    recoveries.push(seconds);
    if (seconds > LIMIT_SECONDS) {
      hung.push(`nothing went on for ${seconds} s after ${row.join(', ')}: ${watch.lastTroubles}`);
      console.log(hung.at(-1));
    }
    console.log(`${done} kills, recovered after ${seconds.toFixed(1)} s, ${users.losses.length} losses`);
  }
  isOver = true;
  await busy;
  await product.restart();
  const left = await queueEmpties(product);
  await watch.stop();
  const checked = await users.checkAll();
  const [{ count: unused }] = await query<{ count: number }>(
    product,
    `select (select count(*) from blobs where written_by is not null)::int
       + (select count(*) from blob_deletions)::int as count`,
  );

  const faults = [
    ...users.losses,
    ...watch.lost.values(),
    ...hung,
    ...product.wrongAnswers.map((answer) => `answered wrongly: ${answer}`),
    ...left,
  ];
  const killedProcesses = kills.get('process') ?? 0;
  if (users.setAside * 2 > killedProcesses)
    faults.push(`${users.setAside} pieces of work were set aside for ${killedProcesses} killed processes`);
  const print = (counts: Iterable<[string, number]>) =>
    [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
  console.log(`seed ${seed}, ${Math.round((performance.now() - startedAt) / 1000)} s`);
  console.log(`killed: ${print(kills)}`);
  console.log(`tried: ${print(users.tried)}; checked again at the end: ${checked}`);
  const sorted = recoveries.toSorted((a, b) => a - b);
  console.log(
    `all went on after ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} s (median), ${sorted.at(-1)?.toFixed(1)} s at most, ` +
      `in ${sorted.length} rows of kills; ${users.setAside} set aside after two kills of their process; ` +
      `${unused} files written in vain are left to the night`,
  );
  console.log(faults.length === 0 ? 'lost: nothing' : `lost: ${faults.length}\n${faults.join('\n')}`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await product.stop();
}
