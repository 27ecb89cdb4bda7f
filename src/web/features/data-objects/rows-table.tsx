import type { ValueRow } from '#web/ui/value-rows.ts';
import classes from './data-objects.module.css';

/** Name and value, the values aligned right. */
export function RowsTable({ rows, label }: { rows: readonly ValueRow[]; label: string }) {
  return (
    <table className={classes.rows} aria-label={label}>
      <tbody>
        {rows.map(({ label: name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
