/**
 * Minimal HDF5 reader for the published radiographs: superblock 0, object headers of version 1, groups by symbol
 * tables, contiguous float32 or float64 datasets.
 * @see https://docs.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
 */

export interface Hdf5Dataset {
  shape: number[];
  values: Float64Array;
}

export function readHdf5(file: Uint8Array, path: string): Hdf5Dataset {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  if (file[0] !== 0x89 || file[8] !== 0) throw new Error('no HDF5 file with a superblock of version 0');
  // Root symbol table entry: name offset, address of its header.
  let header = u64(24 + 32 + 8);
  for (const name of path.split('/').filter((part) => part !== '')) {
    const table = readMessages(view, header).find(({ type }) => type === 0x11);
    if (!table) throw new Error(`${name} lies in no group`);
    const entry = readLinks(view, u64(table.at), u64(table.at + 8)).find((link) => link.name === name);
    if (!entry) throw new Error(`there is no ${name} on the way to ${path}`);
    header = entry.header;
  }
  const messages = readMessages(view, header);
  const at = (type: number) => {
    const found = messages.find((message) => message.type === type);
    if (!found) throw new Error(`${path} has no message of type ${type}`);
    return found.at;
  };
  const space = at(0x01);
  const rank = view.getUint8(space + 1);
  const first = space + (view.getUint8(space) === 1 ? 8 : 4);
  const shape = Array.from({ length: rank }, (_, k) => u64(first + 8 * k));
  const bytes = view.getUint32(at(0x03) + 4, true);
  const isFloat = (view.getUint8(at(0x03)) & 15) === 1;
  const layout = at(0x08);
  if (view.getUint8(layout) !== 3 || view.getUint8(layout + 1) !== 1)
    throw new Error(`${path} is not contiguous`);
  if (!isFloat || (bytes !== 4 && bytes !== 8)) throw new Error(`${path} holds no float32 or float64`);
  const from = u64(layout + 2);
  const count = shape.reduce((product, n) => product * n, 1);
  const values = Float64Array.from({ length: count }, (_, i) =>
    bytes === 4 ? view.getFloat32(from + 4 * i, true) : view.getFloat64(from + 8 * i, true),
  );
  return { shape, values };
}

/** Messages of an object header of version 1, including its continuations. */
function readMessages(view: DataView, header: number): { type: number; at: number }[] {
  const found: { type: number; at: number }[] = [];
  const blocks = [{ from: header + 16, length: view.getUint32(header + 8, true) }];
  for (let block = blocks.shift(); block; block = blocks.shift()) {
    for (let at = block.from; at + 8 <= block.from + block.length; ) {
      const type = view.getUint16(at, true);
      const length = view.getUint16(at + 2, true);
      found.push({ type, at: at + 8 });
      if (type === 0x10) {
        const [from, size] = [at + 8, at + 16].map((place) => Number(view.getBigUint64(place, true)));
        blocks.push({ from, length: size });
      }
      at += 8 + length;
    }
  }
  return found;
}

/** Names and headers of a group's members: the leaves of its B-tree, names in its heap. */
function readLinks(view: DataView, tree: number, heap: number): { name: string; header: number }[] {
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const names = u64(heap + 24);
  const level = view.getUint8(tree + 5);
  const entries = view.getUint16(tree + 6, true);
  return Array.from({ length: entries }, (_, i) => u64(tree + 24 + 8 + 16 * i)).flatMap((child) => {
    if (level > 0) return readLinks(view, child, heap);
    return Array.from({ length: view.getUint16(child + 6, true) }, (_, k) => {
      const symbol = child + 8 + 40 * k;
      const characters: number[] = [];
      for (let at = names + u64(symbol); view.getUint8(at) !== 0; at++) characters.push(view.getUint8(at));
      return { name: String.fromCharCode(...characters), header: u64(symbol + 8) };
    });
  });
}
