import { Title, Tooltip } from '@mantine/core';
import classes from './figures.module.css';

export interface Figure {
  label: string;
  /** with its unit; a dash if unknown */
  value: string;
  /** explains the label */
  help?: string | undefined;
}

interface FiguresProps {
  figures: readonly Figure[];
  /** of the table, for screen readers */
  label: string;
  /** heading above the table */
  title?: string;
}

/** Characters of a number with its interval and unit, which are not parted: rather the label goes over two lines. */
const maxUnbroken = 20;

/** Label and value in two columns, values aligned right; labels with an explanation show it on hover and focus. */
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
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the explanation, too */}
                  <span className={classes.explained} tabIndex={0}>
                    {name}
                  </span>
                </Tooltip>
              )}
            </th>
            <td className={value.length > maxUnbroken ? undefined : classes.unbroken}>{value}</td>
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
