/** The script of a process that carries work out. Each kind is loaded when it first comes. */
import { serveWork } from './work/serve-work.ts';
import { workRunners } from './work-runners.ts';

serveWork(workRunners);
