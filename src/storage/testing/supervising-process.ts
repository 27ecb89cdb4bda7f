/** A process that runs the built-in server until it is killed, for tests of that case. */
import { startEmbedded } from '../db/embedded.ts';

const server = await startEmbedded({ directory: process.argv[2] });
process.stdout.write(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`);
setInterval(() => undefined, 1000);
