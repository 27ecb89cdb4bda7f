import {
  ActionIcon,
  Button,
  Group,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import {
  IconAdjustments,
  IconCircleCheck,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
  IconRoute,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { type AnalysisKind, analyses, isComposite } from '#contract/analyses/registry.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { DataObject, Operation } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ActionMenu } from '#web/ui/action-menu.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatProgress } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import classes from './analyses-panel.module.css';
import { type AnalysisRow, analysisRows, inSentence } from './analysis-states.ts';
import { findPage, isResultOf } from './kinds/registry.ts';
import { projectStatusOptions } from './queries.ts';

interface AnalysesPanelProps {
  projectId: string;
  dataObjects: readonly DataObject[];
  selectedId: string | null;
  /** why the project can't be edited, and so no analysis be run at all; null = it can */
  editReason: string | null;
  /** why an analysis can't be run; null = it can */
  reasonAgainst: (kind: AnalysisKind) => string | null;
  /** whether only the reference is missing, which can be chosen from another project */
  lacksReference: (kind: AnalysisKind) => boolean;
  onSelect: (dataObjectId: string) => void;
  onRun: (kind: AnalysisKind) => void;
  /** it replaces a form that had the focus */
  takesFocus: boolean;
  again: {
    /** at once, with the same parameters */
    now: (operation: Operation) => void;
    isStarting: boolean;
    /** opens the form with the parameters of an earlier run */
    withChanges: (operation: Operation) => void;
  };
  onShowOperation: () => void;
  /** shows the pipeline runs, which have pages of their own */
  onShowRuns: () => void;
  /** upload of data that an analysis lacks */
  upload: ReactNode;
}

/** The state of each analysis, its result in one line, and what can be run. */
export function AnalysesPanel(props: AnalysesPanelProps) {
  const status = useQuery(projectStatusOptions(props.projectId));
  const rows = status.data ? analysisRows(status.data.analyses, props.dataObjects, isResultOf) : [];
  return (
    <section aria-labelledby="results-title">
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h2" id="results-title">
          Results
        </Title>
        {props.editReason === null ? (
          <RunAnalysisMenu
            reasonAgainst={props.reasonAgainst}
            onRun={props.onRun}
            takesFocus={props.takesFocus}
          />
        ) : (
          <ActionButton reason={props.editReason} leftSection={<IconPlus size={14} aria-hidden />}>
            Run analysis
          </ActionButton>
        )}
      </Group>
      {status.isPending && (
        <Stack gap={6}>
          <Skeleton height={48} />
          <Skeleton height={48} />
        </Stack>
      )}
      {status.error && !status.data && <ProblemAlert query={status} />}
      {rows.filter(isBegun).map((row) => (
        <AnalysisLine key={row.kind} row={row} {...props} />
      ))}
      <NotBegun rows={rows.filter((row) => !isBegun(row))} {...props} />
    </section>
  );
}

const findIcon = (kind: AnalysisKind) => findPage(kind)?.icon ?? IconRoute;

const isBegun = ({ operation, result }: AnalysisRow): boolean => operation !== null || result !== null;

/** Analyses that were never run, in a compact list: the page is about results. */
function NotBegun({ rows, upload, ...props }: AnalysesPanelProps & { rows: AnalysisRow[] }) {
  const { reasonAgainst, lacksReference, onRun } = props;
  const runnable = rows.filter(({ kind }) => reasonAgainst(kind) === null);
  const lacking = Map.groupBy(
    rows.filter(({ kind }) => lacksReference(kind)),
    ({ kind }) => reasonAgainst(kind) ?? '',
  );
  return (
    <>
      {runnable.length > 0 && <Runnable rows={runnable} onRun={onRun} />}
      {[...lacking].map(([reason, without]) => (
        <Group key={reason} gap={4} pl={8} pt={6} role="group" aria-label="Reference missing">
          <Text span size="xs" c="dimmed">
            {without.map(({ title }) => title).join(', ')}: {reason}
          </Text>
          {upload}
          <ActionMenu actions={without.map(({ kind, title }) => ({ label: title, run: () => onRun(kind) }))}>
            <Button variant="default" size="compact-xs" flex="none">
              Use a reference of another project
            </Button>
          </ActionMenu>
        </Group>
      ))}
    </>
  );
}

function Runnable({ rows, onRun }: { rows: AnalysisRow[]; onRun: AnalysesPanelProps['onRun'] }) {
  return (
    <Group gap={4} pl={8} pt={6} role="group" aria-label="Not run yet">
      <Text span size="xs" c="dimmed">
        Not run yet
      </Text>
      {rows.map(({ kind, title }) => (
        <Button
          key={kind}
          variant="default"
          size="compact-xs"
          leftSection={<IconPlayerPlay size={10} aria-hidden />}
          onClick={() => onRun(kind)}
          aria-label={`Run: ${inSentence(title)}`}
        >
          {title}
        </Button>
      ))}
    </Group>
  );
}

function AnalysisLine({
  row,
  selectedId,
  reasonAgainst,
  lacksReference,
  onSelect,
  onRun,
  again,
  onShowOperation,
  onShowRuns,
}: AnalysesPanelProps & { row: AnalysisRow }) {
  const page = findPage(row.kind);
  const Icon = findIcon(row.kind);
  const { operation, result, title, status } = row;
  const running = isUnfinished(status);
  const headline = result && page ? page.headline(result.metadata) : null;
  const selected = result !== null && result.id === selectedId;
  const show = result ? () => onSelect(result.id) : isComposite(row.kind) ? onShowRuns : null;
  return (
    <div className={classes.row} data-selected={selected || undefined}>
      <Icon size={16} stroke={1.6} aria-hidden />
      {show ? (
        <UnstyledButton
          className={classes.title}
          onClick={show}
          aria-pressed={result ? selected : undefined}
          aria-label={`Show ${inSentence(title)}`}
        >
          {title}
        </UnstyledButton>
      ) : (
        <span className={classes.title}>{title}</span>
      )}
      <Group gap={2} wrap="nowrap" justify="flex-end">
        <Text span size="sm" mr={4}>
          {status === 'completed' ? (
            <IconCircleCheck size={14} className={classes.done} role="img" aria-label="Completed" />
          ) : (
            <StatusBadge
              status={status}
              label={running && operation ? formatProgress(operation.progress) : undefined}
            />
          )}
        </Text>
        {!running && (reasonAgainst(row.kind) === null || lacksReference(row.kind)) && (
          <>
            <Tooltip label={operation ? 'Run again' : 'Run'}>
              <ActionIcon
                size="sm"
                loading={again.isStarting}
                onClick={() => (operation ? again.now(operation) : onRun(row.kind))}
                aria-label={`${operation ? 'Run again' : 'Run'}: ${inSentence(title)}`}
              >
                <IconRefresh size={14} aria-hidden />
              </ActionIcon>
            </Tooltip>
            {operation && (
              <Tooltip label="Run again with changes">
                <ActionIcon
                  size="sm"
                  onClick={() => again.withChanges(operation)}
                  aria-label={`Run again with changes: ${inSentence(title)}`}
                >
                  <IconAdjustments size={14} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </>
        )}
      </Group>
      {running && operation && (
        <div className={classes.under}>
          <Progress
            value={operation.progress * 100}
            size="sm"
            flex={1}
            aria-label={`Progress of ${inSentence(title)}`}
          />
          <Text span size="xs">
            {operation.stage ?? 'waiting for a worker'}
          </Text>
        </div>
      )}
      {status === 'failed' && operation?.error && (
        <div className={classes.under}>
          <Text span size="sm" c="var(--mantine-color-text)" lineClamp={4} title={operation.error.detail}>
            {operation.error.detail}
          </Text>
          <Button variant="subtle" size="compact-xs" flex="none" onClick={onShowOperation}>
            Details
          </Button>
        </div>
      )}
      {!running && headline !== null && (
        <div className={classes.under}>
          <span className={classes.headline} title={headline}>
            {headline}
          </span>
        </div>
      )}
    </div>
  );
}

interface RunAnalysisMenuProps extends Pick<AnalysesPanelProps, 'reasonAgainst' | 'onRun' | 'takesFocus'> {}

/** All analyses; one that can't be run now states the reason. */
function RunAnalysisMenu({ reasonAgainst, onRun, takesFocus }: RunAnalysisMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const wasForm = useRef(takesFocus);
  useEffect(() => {
    if (wasForm.current) button.current?.focus();
  }, []);
  return (
    <ActionMenu
      actions={analyses.map(({ key, title, purpose }) => ({
        label: title,
        icon: findIcon(key),
        reason: reasonAgainst(key),
        note: purpose,
        run: () => onRun(key),
      }))}
    >
      <Button ref={button} leftSection={<IconPlus size={14} aria-hidden />}>
        Run analysis
      </Button>
    </ActionMenu>
  );
}
