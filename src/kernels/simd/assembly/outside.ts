// Where the outside ends; rows of bits as in components.ts.
import { BitGrid } from './layouts';

/**
 * Marks (u8) the blocks of 8 x 8 x 8 cells that hold bits with a face to a cell that is not set, blocks from … to-1 along z.
 * The outermost rows and planes have none; beyond a row's ends everything is set.
 */
export function markOuter(grid: BitGrid, bits: usize, from: i32, to: i32, blocks: usize): void {
  const words = grid.words, rows = grid.rows, planes = grid.planes;
  const rowBytes = <usize>words << 3;
  const planeBytes = <usize>rows * rowBytes;
  const blockRows = rows + 7 >> 3;
  for (let bz = from; bz < to; bz++) {
    for (let by: i32 = 0; by < blockRows; by++) {
      const row = blocks + <usize>(bz * blockRows + by) * rowBytes;
      for (let w: i32 = 0; w < words; w++) {
        const column = bits + (<usize>w << 3);
        let found: u64 = 0;
        for (let z = max<i32>(bz << 3, 1); z < min<i32>((bz << 3) + 8, planes - 1); z++) {
          for (let y = max<i32>(by << 3, 1); y < min<i32>((by << 3) + 8, rows - 1); y++) {
            const at = column + <usize>z * planeBytes + <usize>y * rowBytes;
            const here = load<u64>(at);
            if (!here) continue;
            const left = here << 1 | (w > 0 ? load<u64>(at - 8) >> 63 : 1);
            const right = here >> 1 | (w + 1 < words ? load<u64>(at + 8) << 63 : (<u64>1) << 63);
            const across = load<u64>(at - rowBytes) & load<u64>(at + rowBytes);
            found |= here & ~(left & right & across & load<u64>(at - planeBytes) & load<u64>(at + planeBytes));
          }
        }
        for (let b: u64 = 0; b < 8; b++) store<u8>(row + (<usize>w << 3) + <usize>b, u8((found >> (b << 3) & 0xff) != 0));
      }
    }
  }
}

/**
 * dst = cells within two (squared 4: the 3 x 3 x 3 cells around and the next ones along the axes) of a cell that is set
 * and of one that is not, planes zFrom … zTo-1; beyond the grid there are neither. Scratch: 32 · (words + 3) bytes.
 */
export function rim(grid: BitGrid, bits: usize, zFrom: i32, zTo: i32, target: usize, scratch: usize): void {
  const src = bits, dst = target, words = grid.words, rows = grid.rows, planes = grid.planes;
  const rowBytes = <usize>words << 3;
  const planeBytes = <usize>rows * rowBytes;
  const stride = <usize>(words + 3) << 3;
  // Set and not set in the nine rows, each with a word before and after, and in the four tips of the ball.
  const set = scratch + 8, unset = set + stride, setTips = unset + stride, unsetTips = setTips + stride - 8;
  const ones = i64x2.splat(-1);
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < rows; y++) {
      const own = src + <usize>z * planeBytes + <usize>y * rowBytes;
      // A row that isn't there is this row once more.
      const up = y > 0 ? rowBytes : 0, down = y + 1 < rows ? rowBytes : 0;
      const below = z > 0 ? own - planeBytes : own, above = z + 1 < planes ? own + planeBytes : own;
      const upUp = y > 1 ? own - 2 * rowBytes : own, downDown = y + 2 < rows ? own + 2 * rowBytes : own;
      const far = z > 1 ? own - 2 * planeBytes : own, farAbove = z + 2 < planes ? own + 2 * planeBytes : own;
      for (let w: usize = 0; w < rowBytes; w += 16) {
        const a = v128.load(below - up + w), b = v128.load(below + w), c = v128.load(below + down + w);
        const d = v128.load(own - up + w), e = v128.load(own + w), f = v128.load(own + down + w);
        const g = v128.load(above - up + w), h = v128.load(above + w), i = v128.load(above + down + w);
        const any = v128.or(v128.or(v128.or(a, b), v128.or(c, d)), v128.or(v128.or(e, f), v128.or(v128.or(g, h), i)));
        const all = v128.and(v128.and(v128.and(a, b), v128.and(c, d)), v128.and(v128.and(e, f), v128.and(v128.and(g, h), i)));
        const p = v128.load(upUp + w), q = v128.load(downDown + w), r = v128.load(far + w), s = v128.load(farAbove + w);
        v128.store(set + w, any);
        v128.store(unset + w, v128.xor(all, ones));
        v128.store(setTips + w, v128.or(v128.or(p, q), v128.or(r, s)));
        v128.store(unsetTips + w, v128.xor(v128.and(v128.and(p, q), v128.and(r, s)), ones));
      }
      store<u64>(set - 8, 0);
      store<u64>(unset - 8, 0);
      store<u64>(set + rowBytes, 0);
      store<u64>(unset + rowBytes, 0);
      const to = dst + <usize>z * planeBytes + <usize>y * rowBytes;
      for (let w: usize = 0; w < rowBytes; w += 8) {
        const here = load<u64>(set + w), before = load<u64>(set + w - 8), after = load<u64>(set + w + 8);
        const other = load<u64>(unset + w), otherBefore = load<u64>(unset + w - 8), otherAfter = load<u64>(unset + w + 8);
        const tips = load<u64>(setTips + w), otherTips = load<u64>(unsetTips + w);
        if (!(here | before | after | tips) || !(other | otherBefore | otherAfter | otherTips)) {
          store<u64>(to + w, 0);
          continue;
        }
        const v = load<u64>(own + w);
        const last = w + 8 == rowBytes;
        const left = w ? load<u64>(own + w - 8) : 0, right = last ? 0 : load<u64>(own + w + 8);
        const otherLeft = w ? ~left : 0, otherRight = last ? 0 : ~right;
        const near = here | here << 1 | before >> 63 | here >> 1 | after << 63 | tips | v << 2 | left >> 62 | v >> 2 | right << 62;
        const otherNear = other | other << 1 | otherBefore >> 63 | other >> 1 | otherAfter << 63 | otherTips |
          ~v << 2 | otherLeft >> 62 | ~v >> 2 | otherRight << 62;
        store<u64>(to + w, near & otherNear);
      }
    }
  }
}
