/** Script of a work process. Runners are loaded on first use; operations are loaded ahead when idle. */
import { serveWork } from './work/serve-work.ts';
import { workRunners } from './work-runners.ts';

serveWork(workRunners, () => import('./operations/run-operation.ts'));
