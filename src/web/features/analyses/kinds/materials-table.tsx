import { Title } from '@mantine/core';
import { formatNumber } from '#web/ui/quantity.ts';
import classes from './materials.module.css';
import type { MaterialResult } from './mesh-result.ts';

const orDash = (value: number | null, digits: number) => (value === null ? '–' : formatNumber(value, digits));

/** The materials of a part, the lightest first; each has a mesh of its own among the data. */
export function MaterialsTable({ materials }: { materials: readonly MaterialResult[] }) {
  return (
    <section aria-label="Materials">
      <Title order={3} size="h3" mt="sm" mb={4}>
        Materials
      </Title>
      <table className={classes.materials} aria-label="Materials">
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Grey value</th>
            <th scope="col">From grey</th>
            <th scope="col">
              Volume <small>mm³</small>
            </th>
            <th scope="col">
              Area <small>mm²</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {materials.map(({ number, grayValue, isoValue, volumeMm3, areaMm2 }) => (
            <tr key={number}>
              <th scope="row">{number}</th>
              <td>{orDash(grayValue, 0)}</td>
              <td>{orDash(isoValue, 0)}</td>
              <td>{orDash(volumeMm3, 2)}</td>
              <td>{orDash(areaMm2, 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
