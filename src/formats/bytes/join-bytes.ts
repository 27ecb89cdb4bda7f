/** Concatenates parts of a file; a single part is returned as it is. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = parts;
  if (first && others.length === 0) return first;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
