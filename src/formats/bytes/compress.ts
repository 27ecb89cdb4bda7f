/**
 * Compresses a stream piece by piece with the platform's compressor.
 *
 * @throws errors of `blocks`
 */
export async function* compressed(
  blocks: AsyncIterable<Uint8Array>,
  format: 'gzip' | 'deflate-raw',
): AsyncGenerator<Uint8Array> {
  const stream = new CompressionStream(format);
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  let failure: { error: unknown } | undefined;
  let stopped = false;
  const feed = async () => {
    try {
      for await (const block of blocks) {
        if (stopped) return;
        await writer.ready;
        await writer.write(new Uint8Array(block));
      }
      await writer.close();
    } catch (error) {
      failure = { error };
      await writer.abort(error).catch(() => undefined);
    }
  };
  const feeding = feed();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
  } catch (error) {
    throw failure ? failure.error : error;
  } finally {
    stopped = true;
    await reader.cancel().catch(() => undefined);
    await feeding;
  }
}
