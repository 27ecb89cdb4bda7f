import { Title, Tooltip } from '@mantine/core';
import classes from './figures.module.css';

export interface Figure {
  label: string;
  /** with its unit; a dash where it is not known */
  value: string;
  /** what the label means, for who does not know it */
  help?: string | undefined;
}

interface FiguresProps {
  figures: readonly Figure[];
  /** of the table, for who can't see it */
  label: string;
  /** a heading above it */
  title?: string;
}

/** Label and value in two columns, figures flush right; what needs explaining explains itself on being pointed at. */
export function Figures({ figures, label, title }: FiguresProps) {
  if (figures.length === 0) return null;
  const table = (
    <table className={classes.figures} aria-label={label}>
      <tbody>
        {figures.map(({ label: name, value, help }) => (
          <tr key={name}>
            <th scope="row">
              {help === undefined ? (
                name
              ) : (
                <Tooltip
                  label={help}
                  multiline
                  w={260}
                  position="left"
                  events={{ hover: true, focus: true, touch: true }}
                >
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what explains itself must do so for the keyboard too */}
                  <span className={classes.explained} tabIndex={0}>
                    {name}
                  </span>
                </Tooltip>
              )}
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (title === undefined) return table;
  return (
    <section aria-label={title}>
      <Title order={3} size="h3" mb={4}>
        {title}
      </Title>
      {table}
    </section>
  );
}
