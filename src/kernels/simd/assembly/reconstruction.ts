// Back-projection of filtered projections, stored column by column with contiguous rows, into columns of z.

/**
 * Adding this to a number below 2^22 leaves the nearest integer in the low bits: cheaper than rounding and converting.
 */
const rounding: f32 = 12582912;

/** Columns of z per tile, along y and x. */
const tileRows: i32 = 4;
const tileCells: i32 = 8;

/**
 * Adds `count` projections to the volume's rows jFrom … jTo-1 (`volume`: f32, z fastest, then x, then y, counted from
 * the slab's first plane). `setup`, f64: 0 cells along x, 1 along y, 2 planes of the slab, 3 number of its first plane,
 * 4 x of the first cell, 5 y, 6 z of plane 0, 7 cell size (all mm), 8 source to detector, 9 column of the central ray,
 * 10 columns per mm on the detector (signed), 11 row of the central plane, 12 rows per mm, 13 columns, 14 rows of the
 * detector, 15 first row held in `filtered`, 16 rows held for each column (the pitch), 17 beam (0 cone, 1 fan, 2
 * parallel), 18 rows held that carry data, 19 squared radius in cells beyond which cells are skipped. `angles`, f64:
 * cosine and sine of each projection, its source's distance from the axis and its height (mm).
 * Scratch: (rows held + 8) f32.
 */
export function backProject(
  volume: usize, setup: usize, angles: usize, filtered: usize, count: i32, jFrom: i32, jTo: i32, scratch: usize,
): void {
  const nx = <i32>load<f64>(setup);
  const nz = <i32>load<f64>(setup, 16);
  const plane0 = <i32>load<f64>(setup, 24);
  const x0 = load<f64>(setup, 32);
  const y0 = load<f64>(setup, 40);
  const z0 = load<f64>(setup, 48);
  const cell = load<f64>(setup, 56);
  const toDetector = load<f64>(setup, 64);
  const middleColumn = load<f64>(setup, 72);
  const columnsPerMm = load<f64>(setup, 80);
  const middleRow = load<f64>(setup, 88);
  const rowsPerMm = load<f64>(setup, 96);
  const columns = <i32>load<f64>(setup, 104);
  const rows = <i32>load<f64>(setup, 112);
  const firstRow = <i32>load<f64>(setup, 120);
  const pitch = <i32>load<f64>(setup, 128);
  const beam = <i32>load<f64>(setup, 136);
  const held = <i32>load<f64>(setup, 144);
  const radius2 = load<f64>(setup, 152);
  const middleX = <f64>(nx - 1) / 2, middleY = (load<f64>(setup, 8) - 1) / 2;
  const lanes = f32x4(0, 1, 2, 3);
  const four = f32x4.splat(4);
  const lastColumn = <f64>(columns - 1);
  const lastRow = <f64>(rows - 1);
  // Row r of the detector is at blended + 4 r; one more row on either side repeats the edge.
  const blended = scratch + 16;
  // One tile of columns for all projections at a time: the data of a projection that a tile reads fits a core's cache.
  for (let jTile = jFrom; jTile < jTo; jTile += tileRows) {
    for (let iTile: i32 = 0; iTile < nx; iTile += tileCells) {
      const jEnd = min(jTile + tileRows, jTo), iEnd = min(iTile + tileCells, nx);
      for (let p: i32 = 0; p < count; p++) {
        const cos = load<f64>(angles + (<usize>p << 5));
        const sin = load<f64>(angles + (<usize>p << 5), 8);
        const toAxis = load<f64>(angles + (<usize>p << 5), 16);
        const height = load<f64>(angles + (<usize>p << 5), 24);
        for (let j = jTile; j < jEnd; j++) {
          const y = y0 + <f64>j * cell;
          const dy = <f64>j - middleY;
          for (let i = iTile; i < iEnd; i++) {
            const dx = <f64>i - middleX;
            if (dx * dx + dy * dy > radius2) continue;
            const x = x0 + <f64>i * cell;
            const target = volume + (<usize>(j * nx + i) * <usize>nz << 2);
            const across = y * cos - x * sin;
            let magnification: f64 = 1;
            let weight: f64 = 1;
            if (beam < 2) {
              const depth = toAxis - (x * cos + y * sin);
              if (depth <= 0) continue;
              magnification = toDetector / depth;
              weight = (toAxis / depth) * (toAxis / depth);
            }
            let u = middleColumn + across * magnification * columnsPerMm;
            if (!(u >= -0.5 && u <= lastColumn + 0.5)) continue;
            u = min(max(u, 0), lastColumn);
            const column = min(<i32>u, max(columns - 2, 0));
            const share = <f32>(u - <f64>column);
            const rise = beam == 0 ? magnification * rowsPerMm : rowsPerMm;
            const step = cell * rise;
            const base = middleRow + (z0 - height) * rise;
            // Planes (absolute) that project onto the detector.
            let first = <i32>Math.ceil((-0.5 - base) / step);
            let end = <i32>Math.floor((lastRow + 0.5 - base) / step) + 1;
            first = max(first, plane0);
            end = min(end, plane0 + nz);
            if (first >= end) continue;
            const a = filtered + ((<usize>p * <usize>columns + <usize>column) * <usize>pitch << 2);
            const b = columns > 1 ? a + (<usize>pitch << 2) : a;
            let rowFrom = <i32>Math.floor(base + <f64>first * step) - 1 - firstRow;
            let rowTo = <i32>Math.floor(base + <f64>(end - 1) * step) + 3 - firstRow;
            rowFrom = max(rowFrom, 0) & ~3;
            rowTo = min(rowTo, held);
            const w = <f32>weight;
            const near = f32x4.splat(w * (1 - share));
            const far = f32x4.splat(w * share);
            for (let r = rowFrom; r < rowTo; r += 4) {
              const at = <usize>r << 2;
              v128.store(blended + at, f32x4.add(f32x4.mul(v128.load(a + at), near), f32x4.mul(v128.load(b + at), far)));
            }
            if (rowFrom == 0) store<f32>(blended - 4, load<f32>(blended));
            if (rowTo == held) store<f32>(blended + (<usize>held << 2), load<f32>(blended + (<usize>(held - 1) << 2)));
            // Indexed relative to the whole detector and volume, whatever part is in memory, so that slab borders leave
            // no trace.
            const origin = blended - (<usize>firstRow << 2) - (<usize>reinterpret<u32>(rounding) << 2);
            const origin4 = i32x4.splat(<i32>origin);
            const base4 = f32x4.splat(<f32>base);
            const step4 = f32x4.splat(<f32>step);
            let k = first;
            let to = target + (<usize>(first - plane0) << 2);
            let planes = f32x4.add(f32x4.splat(<f32>k), lanes);
            for (; k + 8 <= end; k += 8) {
              const next = f32x4.add(planes, four);
              addFour(to, f32x4.add(base4, f32x4.mul(planes, step4)), origin4);
              addFour(to + 16, f32x4.add(base4, f32x4.mul(next, step4)), origin4);
              planes = f32x4.add(next, four);
              to += 32;
            }
            for (; k + 4 <= end; k += 4) {
              addFour(to, f32x4.add(base4, f32x4.mul(planes, step4)), origin4);
              planes = f32x4.add(planes, four);
              to += 16;
            }
            for (; k < end; k++) {
              // The same operations as above, in one lane.
              const v = <f32>base + <f32>k * <f32>step;
              const index = v - <f32>0.5 + rounding;
              const fraction = v - (index - rounding);
              const r = origin + (<usize>reinterpret<u32>(index) << 2);
              store<f32>(to, load<f32>(to) + (load<f32>(r) + (load<f32>(r, 4) - load<f32>(r)) * fraction));
              to += 4;
            }
          }
        }
      }
    }
  }
}

/**
 * Adds linearly interpolated rows to four planes at row coordinates `v`; row 0 is at `origin`, minus the rounding
 * constant's bits.
 */
@inline
function addFour(to: usize, v: v128, origin: v128): void {
  const rounding4 = f32x4.splat(rounding);
  // The row below; at an integer it may be the previous row, which gives the same result.
  const index = f32x4.add(f32x4.sub(v, f32x4.splat(0.5)), rounding4);
  const fraction = f32x4.sub(v, f32x4.sub(index, rounding4));
  const at = i32x4.add(i32x4.shl(index, 2), origin);
  const r0 = <usize>i32x4.extract_lane(at, 0), r1 = <usize>i32x4.extract_lane(at, 1);
  const r2 = <usize>i32x4.extract_lane(at, 2), r3 = <usize>i32x4.extract_lane(at, 3);
  const p01 = v128.load64_lane(r1, v128.load64_zero(r0), 1);
  const p23 = v128.load64_lane(r3, v128.load64_zero(r2), 1);
  const low = v128.shuffle<f32>(p01, p23, 0, 2, 4, 6);
  const high = v128.shuffle<f32>(p01, p23, 1, 3, 5, 7);
  const value = f32x4.add(low, f32x4.mul(f32x4.sub(high, low), fraction));
  v128.store(to, f32x4.add(v128.load(to), value));
}

/**
 * Transposes columns of z to planes, x fastest: rows jFrom … jTo-1 of planes kFrom … kTo-1; 0 beyond `radius2` (cells²)
 * from the centre.
 */
export function turnPlanes(
  volume: usize, planes: usize, nx: i32, ny: i32, nz: i32, kFrom: i32, kTo: i32, jFrom: i32, jTo: i32, radius2: f64,
): void {
  const middleX = <f64>(nx - 1) / 2;
  const middleY = <f64>(ny - 1) / 2;
  const planeBytes = <usize>nx * <usize>ny << 2;
  for (let j = jFrom; j < jTo; j++) {
    const dy = <f64>j - middleY;
    for (let i: i32 = 0; i < nx; i++) {
      const dx = <f64>i - middleX;
      const inside = dx * dx + dy * dy <= radius2;
      let from = volume + ((<usize>(j * nx + i) * <usize>nz + <usize>kFrom) << 2);
      let to = planes + (<usize>(j * nx + i) << 2);
      for (let k = kFrom; k < kTo; k++) {
        store<f32>(to, inside ? load<f32>(from) : <f32>0);
        from += 4;
        to += planeBytes;
      }
    }
  }
}
