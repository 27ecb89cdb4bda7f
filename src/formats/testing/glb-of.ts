/** A GLB from any JSON chunk and binary chunk, including invalid ones. */
export function makeGlb(json: object, binary = new Uint8Array(36)): Uint8Array {
  const content = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(content.length / 4) * 4;
  const bytes = new Uint8Array(28 + padded + binary.length).fill(0x20);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, bytes.length, true);
  view.setUint32(12, padded, true);
  view.setUint32(16, 0x4e4f534a, true);
  bytes.set(content, 20);
  view.setUint32(20 + padded, binary.length, true);
  view.setUint32(24 + padded, 0x004e4942, true);
  bytes.set(binary, 28 + padded);
  return bytes;
}
