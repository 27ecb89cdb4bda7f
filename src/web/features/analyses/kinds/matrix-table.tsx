import { Title } from '@mantine/core';
import { formatNumber } from '#contract/base/format-number.ts';
import classes from './compare.module.css';

/** A pose as a 4 × 4 matrix: rotation on the left, translation in mm on the right. */
export function MatrixTable({ matrix }: { matrix: readonly number[] }) {
  return (
    <section aria-label="Matrix">
      <Title order={3} size="h3" mb={4}>
        Matrix, scan → reference
      </Title>
      <table className={classes.matrix} aria-label="Matrix from the scan to the reference, shifts in mm">
        <tbody>
          {[0, 1, 2, 3].map((row) => (
            <tr key={row}>
              {[0, 1, 2, 3].map((column) => (
                <td key={column}>{formatNumber(matrix[4 * row + column], column === 3 ? 4 : 6)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
