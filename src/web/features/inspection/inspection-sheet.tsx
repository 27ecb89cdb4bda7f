import { Group, Text, Title, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Characteristic, Project } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { explainLimited, formatMeasured, formatNominal, formatTolerance } from '#web/ui/limits.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { DeviationBar } from './deviation-bar.tsx';
import { DispositionBar } from './disposition.tsx';
import classes from './inspection.module.css';
import { characteristicsOptions } from './queries.ts';

interface InspectionSheetProps {
  project: Project;
  /** why the user may not set the disposition; null = they may */
  editReason: string | null;
  /** the row named in the address */
  chosenId: string | undefined;
  /** shows the result that the characteristic was measured in, at its location */
  onChoose: (characteristic: Characteristic) => void;
}

/** `1 fail · 3 pass` */
function countVerdicts(rows: readonly Characteristic[]): string {
  const counts = (['fail', 'indeterminate', 'pass'] as const).map((verdict) => ({
    verdict,
    count: rows.filter((row) => row.verdict === verdict).length,
  }));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${statusWord(verdict).toLowerCase()}`)
    .join(' · ');
}

const describeSource = ({ source }: Characteristic): string =>
  source.kind === 'comparison'
    ? 'Compared without a recipe'
    : `${source.name}${source.version === undefined ? '' : `, version ${source.version}`}`;

/** Every current characteristic of the part, worst first; a row shows its location in the viewer. */
export function InspectionSheet({ project, editReason, chosenId, onChoose }: InspectionSheetProps) {
  const query = useQuery(characteristicsOptions(project.id));
  const [showsOutdated, { toggle }] = useDisclosure(false);
  const [isOpen, setOpen] = useLocalStorage({
    key: 'scanwright.inspection-sheet',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const all = query.data?.results ?? [];
  const current = all.filter(({ outdated }) => !outdated);
  const outdatedCount = all.length - current.length;
  const rows = showsOutdated ? all : current;
  // Gates have no nominal value; avoids a column of dashes.
  const hasNominal = rows.some(({ nominal }) => nominal !== null);
  return (
    <section className={classes.sheet} aria-labelledby="inspection-title" data-sheet>
      <div className={classes.head}>
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Title order={2} fz="sm" id="inspection-title" className={classes.title}>
            {rows.length === 0 ? (
              'Inspection sheet'
            ) : (
              <UnstyledButton
                className={classes.fold}
                aria-expanded={isOpen}
                onClick={() => setOpen((before) => !before)}
              >
                <IconChevronDown size={14} aria-hidden />
                Inspection sheet
              </UnstyledButton>
            )}
          </Title>
          <Text size="sm" c="dimmed" flex={current.length > 0 ? 'none' : undefined}>
            {query.isPending
              ? 'Loading…'
              : current.length > 0
                ? countVerdicts(current)
                : outdatedCount > 0
                  ? 'Nothing measured on the newest scan: run the recipe or the comparison again.'
                  : 'No characteristics yet: run a recipe with gates, or compare the part with its CAD model.'}
          </Text>
          {outdatedCount > 0 && (
            <ActionButton
              variant="subtle"
              size="compact-sm"
              flex="none"
              onClick={toggle}
              aria-expanded={showsOutdated}
            >
              {showsOutdated ? 'Hide outdated' : `Show ${outdatedCount} outdated`}
            </ActionButton>
          )}
        </Group>
        <DispositionBar project={project} reason={editReason} />
      </div>
      {query.error && !query.data && <ProblemAlert query={query} />}
      {rows.length > 0 && isOpen && (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label="Characteristics, worst first">
            <thead>
              <tr>
                <th scope="col">Characteristic</th>
                {hasNominal && (
                  <th scope="col" className={classes.number}>
                    Nominal
                  </th>
                )}
                <th scope="col" className={classes.number}>
                  Tolerance
                </th>
                <th scope="col" className={classes.number}>
                  Measured
                </th>
                <th scope="col" className={classes.ifRoom}>
                  Deviation
                </th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row
                  key={row.id}
                  row={row}
                  hasNominal={hasNominal}
                  isChosen={row.id === chosenId}
                  onChoose={onChoose}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface RowProps {
  row: Characteristic;
  hasNominal: boolean;
  isChosen: boolean;
  onChoose: (characteristic: Characteristic) => void;
}

function Row({ row, hasNominal, isChosen, onChoose }: RowProps) {
  const isShown = row.dataObjectId !== null;
  return (
    <tr
      data-place={isShown || undefined}
      data-chosen={isChosen || undefined}
      data-outdated={row.outdated || undefined}
      onClick={() => isShown && onChoose(row)}
    >
      <td>
        <Tooltip label={describeSource(row)} openDelay={400}>
          {isShown ? (
            <UnstyledButton
              className={classes.name}
              aria-current={isChosen || undefined}
              onClick={(event) => {
                event.stopPropagation();
                onChoose(row);
              }}
            >
              {row.name}
            </UnstyledButton>
          ) : (
            <span>{row.name}</span>
          )}
        </Tooltip>
      </td>
      {hasNominal && <td className={classes.number}>{formatNominal(row)}</td>}
      <td className={classes.number}>{formatTolerance(row)}</td>
      <td className={classes.number}>{formatMeasured(row)}</td>
      <td className={classes.ifRoom}>
        <DeviationBar limited={row} verdict={row.outdated ? '' : row.verdict} />
      </td>
      <td className={classes.status}>
        <Tooltip label={explainLimited(row)} multiline maw={420} openDelay={400}>
          <span>
            {row.outdated ? (
              `Outdated · ${statusWord(row.verdict).toLowerCase()}`
            ) : (
              <StatusBadge
                status={row.verdict}
                label={row.reason === null ? undefined : `${statusWord(row.verdict)} · ${row.reason}`}
              />
            )}
          </span>
        </Tooltip>
      </td>
    </tr>
  );
}
