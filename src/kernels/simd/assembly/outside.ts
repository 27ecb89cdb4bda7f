// Finds the boundary of the outside; rows of bits as in components.ts.
import { BitGrid } from './layouts';

/**
 * Marks (u8) the blocks of 8 x 8 x 8 cells with a set cell that shares a face with an unset one, blocks from … to-1
 * along z. Cells of the outermost rows and planes are ignored; beyond a row's ends everything counts as set.
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
