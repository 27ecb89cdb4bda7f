/** The script of a process that carries work out. Each kind is loaded when it first comes, operations before where there is time. */
import { serveWork } from './work/serve-work.ts';
import { workRunners } from './work-runners.ts';

serveWork(workRunners, () => import('./operations/run-operation.ts'));
