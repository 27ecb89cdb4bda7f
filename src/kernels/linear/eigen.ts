export interface Eigen {
  /** unsorted */
  values: number[];
  /** one unit vector per value */
  vectors: number[][];
}

const maxSweeps = 30;
const exactShare = 1e-15;

/**
 * Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi rotations (Jacobi 1846,
 * doi:10.1515/crll.1846.30.51).
 */
export function findEigen(symmetric: readonly (readonly number[])[]): Eigen {
  const m = symmetric.map((row) => [...row]);
  const size = m.length;
  const columns = m.map((_, r) => m.map((__, c) => Number(r === c)));
  const trace = m.reduce((sum, row, k) => sum + Math.abs(row[k]), 0);
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    let off = 0;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) off += Math.abs(m[p][q]);
    if (off <= exactShare * trace) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        if (m[p][q] === 0) continue;
        const theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < size; k++) {
          [m[k][p], m[k][q]] = [c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]];
        }
        for (let k = 0; k < size; k++) {
          [m[p][k], m[q][k]] = [c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]];
          [columns[k][p], columns[k][q]] = [
            c * columns[k][p] - s * columns[k][q],
            s * columns[k][p] + c * columns[k][q],
          ];
        }
      }
    }
  }
  return { values: m.map((row, k) => row[k]), vectors: m.map((_, k) => columns.map((row) => row[k])) };
}
