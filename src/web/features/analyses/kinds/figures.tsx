import classes from './figures.module.css';

export interface Figure {
  label: string;
  /** with its unit; a dash where it is not known */
  value: string;
}

/** Label and value in two columns, figures flush right. */
export function Figures({ figures, label }: { figures: readonly Figure[]; label: string }) {
  return (
    <table className={classes.figures} aria-label={label}>
      <tbody>
        {figures.map(({ label: name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
