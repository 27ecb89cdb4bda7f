/** Small dense least squares: linear systems, and nonlinear ones by damped Gauss–Newton steps. */

/**
 * Solves a symmetric positive definite system by Cholesky decomposition.
 * @param matrix n × n, row by row, for several right-hand sides
 * @returns null when it is singular in double precision
 */
export function solveSymmetric(
  matrix: readonly number[][],
  ...rightSides: (readonly number[])[]
): number[][] | null {
  const n = matrix.length;
  const lower = matrix.map((row) => row.slice());
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i][j];
      for (let k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k];
      if (i !== j) lower[i][j] = sum / lower[j][j];
      else if (sum > 1e-13 * matrix[i][i]) lower[i][i] = Math.sqrt(sum);
      else return null;
    }
  }
  return rightSides.map((side) => {
    const x = side.slice();
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) x[i] -= lower[i][k] * x[k];
      x[i] /= lower[i][i];
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i] -= lower[k][i] * x[k];
      x[i] /= lower[i][i];
    }
    return x;
  });
}

/** The x that minimizes Σ (row · x − value)²; null when the rows do not determine it. */
export function solveRows(rows: readonly number[][], values: readonly number[]): number[] | null {
  const n = rows[0].length;
  const matrix = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const side = new Array<number>(n).fill(0);
  for (const [at, row] of rows.entries())
    for (let i = 0; i < n; i++) {
      side[i] += row[i] * values[at];
      for (let j = 0; j < n; j++) matrix[i][j] += row[i] * row[j];
    }
  return solveSymmetric(matrix, side)?.[0] ?? null;
}

export interface Minimum {
  parameters: number[];
  sumOfSquares: number;
  /** covariance of the parameters for residuals with unit deviation; null when they are not determined */
  covariance: number[][] | null;
}

const maxSteps = 100;
const derivativeStep = 1e-6;

/**
 * Minimizes the sum of squared residuals from a starting point near the solution (Levenberg 1944,
 * doi:10.1090/qam/10666; Marquardt 1963, doi:10.1137/0111030). Derivatives are central differences, so parameters and
 * residuals should be of order 1.
 */
export function minimize(
  residualsAt: (parameters: readonly number[]) => Float64Array,
  start: readonly number[],
): Minimum {
  const n = start.length;
  let parameters = start.slice();
  let residuals = residualsAt(parameters);
  let sum = sumSquares(residuals);
  let damping = 1e-4;
  let normal = normalEquations(residualsAt, parameters, residuals);
  for (let step = 0; step < maxSteps && sum > 1e-30; step++) {
    const damped = normal.matrix.map((row, i) =>
      row.map((value, j) => (i === j ? value * (1 + damping) + 1e-300 : value)),
    );
    const change = solveSymmetric(damped, normal.side)?.[0];
    const next = change && parameters.map((value, i) => value - change[i]);
    const nextResiduals = next && residualsAt(next);
    const nextSum = nextResiduals ? sumSquares(nextResiduals) : Number.NaN;
    if (next && nextResiduals && nextSum < sum) {
      const gain = (sum - nextSum) / sum;
      [parameters, residuals, sum] = [next, nextResiduals, nextSum];
      damping = Math.max(1e-12, damping / 10);
      if (gain < 1e-14) break;
      normal = normalEquations(residualsAt, parameters, residuals);
    } else if (damping > 1e10) break;
    else damping *= 10;
  }
  const units = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => (i === j ? 1 : 0)));
  return { parameters, sumOfSquares: sum, covariance: solveSymmetric(normal.matrix, ...units) };
}

const sumSquares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);

function normalEquations(
  residualsAt: (parameters: readonly number[]) => Float64Array,
  parameters: readonly number[],
  residuals: Float64Array,
) {
  const n = parameters.length;
  const columns = parameters.map((_, k) => {
    const moved = (by: number) => residualsAt(parameters.map((value, i) => (i === k ? value + by : value)));
    const [after, before] = [moved(derivativeStep), moved(-derivativeStep)];
    return after.map((value, i) => (value - before[i]) / (2 * derivativeStep));
  });
  const multiply = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const matrix = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) matrix[i][j] = matrix[j][i] = multiply(columns[i], columns[j]);
  return { matrix, side: columns.map((column) => multiply(column, residuals)) };
}
