/** The message of an error, whatever was thrown. */
export const readMessage = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
