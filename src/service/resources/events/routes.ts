/** Server-sent events. */
import type { BindRoutes } from '../../services.ts';
import { EventHub } from './hub.ts';

export const bindEvents: BindRoutes = (binder, { connection, log }) => {
  const hub = new EventHub(connection, (err) => log.warn({ err }, 'events'));
  binder.onReady(() => hub.start());
  binder.onEnding(() => hub.stop());

  binder.bindRaw('listenToEvents', async ({ caller, reply }) => {
    const { raw } = reply;
    const { userId, tokenId, expiresAt } = caller;
    const remove = await hub.add({
      userId,
      tokenId,
      expiresAt,
      write: (text) => raw.write(text),
      waitingBytes: () => raw.writableLength,
      end: () => raw.end(),
    });
    const untilEnd =
      expiresAt === null
        ? undefined
        : setTimeout(() => raw.end(), Math.min(expiresAt.getTime() - Date.now(), 2 ** 31 - 1));
    raw.once('close', () => {
      clearTimeout(untilEnd);
      remove();
    });
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    raw.write('retry: 2000\n\n');
  });
};
