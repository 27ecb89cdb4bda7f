/** Script of a work process. Runners are loaded on first use; operations are loaded ahead when idle. */
import { serveWork } from './work/serve-work.ts';
import { workRunners } from './work-runners.ts';

serveWork(workRunners, async () => {
  await import('./operations/run-operation.ts');
  (await import('./planes/digest-planes.ts')).startDigestThread();
});
