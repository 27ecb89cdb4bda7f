/** A worker process that takes one operation, says so, and never ends it: for the test that kills it. */
import { openWorker } from '../queue/worker.ts';

const worker = await openWorker(process.argv[2]);
await worker.work('operation', {}, async ({ operationId }) => {
  process.stdout.write(`${operationId}\n`);
  await new Promise(() => undefined);
});
