import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { IconAdjustments, IconFlask, IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type AnalysisKind, analysisFacts, carriedOutAnalyses } from '#contract/analyses/kinds.ts';
import { explain } from '#web/api/errors.ts';
import type { DataObject, Operation } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatNumber } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import classes from './analyses-panel.module.css';
import { type AnalysisRow, analysisRows, inSentence, isUnfinished } from './analysis-states.ts';
import { isResultOf, kindPages } from './kinds/registry.ts';
import { projectStatusOptions } from './queries.ts';

interface AnalysesPanelProps {
  projectId: string;
  dataObjects: readonly DataObject[];
  selectedId: string | null;
  /** why one can't be run; null = it can */
  reasonAgainst: (kind: AnalysisKind) => string | null;
  onSelect: (dataObjectId: string) => void;
  onRun: (kind: AnalysisKind) => void;
  again: {
    /** at once, with just what it was given */
    now: (operation: Operation) => void;
    isStarting: boolean;
    /** opens the form with what an earlier run was given */
    withChanges: (operation: Operation) => void;
  };
  onShowOperation: () => void;
}

/** The state of each analysis, its result in a line, and what can be run. */
export function AnalysesPanel(props: AnalysesPanelProps) {
  const status = useQuery(projectStatusOptions(props.projectId));
  const rows = status.data ? analysisRows(status.data.analyses, props.dataObjects, isResultOf) : [];
  return (
    <section aria-labelledby="results-title">
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h2" id="results-title">
          Results
        </Title>
        <RunAnalysisMenu reasonAgainst={props.reasonAgainst} onRun={props.onRun} />
      </Group>
      {status.isPending && (
        <Stack gap={6}>
          <Skeleton height={48} />
          <Skeleton height={48} />
        </Stack>
      )}
      {status.error && !status.data && (
        <ProblemAlert {...explain(status.error)} onRetry={() => void status.refetch()} />
      )}
      {rows.map((row) => (
        <AnalysisLine key={row.kind} row={row} {...props} />
      ))}
    </section>
  );
}

function AnalysisLine({
  row,
  selectedId,
  reasonAgainst,
  onSelect,
  onRun,
  again,
  onShowOperation,
}: AnalysesPanelProps & { row: AnalysisRow }) {
  const page = kindPages[row.kind];
  const Icon = page?.icon ?? IconFlask;
  const { operation, result } = row;
  const offered = carriedOutAnalyses.find((kind) => kind === row.kind) ?? null;
  const running = isUnfinished(row.status);
  const headline = result && page ? page.headline(result.metadata) : null;
  const selected = result !== null && result.id === selectedId;
  return (
    <div className={classes.row} data-selected={selected || undefined}>
      <Icon size={16} stroke={1.6} aria-hidden />
      {result ? (
        <UnstyledButton
          className={classes.title}
          onClick={() => onSelect(result.id)}
          aria-pressed={selected}
          aria-label={`Show ${inSentence(row.title)}`}
        >
          {row.title}
        </UnstyledButton>
      ) : (
        <span className={classes.title}>{row.title}</span>
      )}
      <Text span size="sm">
        <StatusBadge
          status={row.status}
          label={running && operation ? `${formatNumber(operation.progress * 100, 0)}\u2009%` : undefined}
        />
      </Text>
      {running && operation && (
        <div className={classes.under}>
          <Progress
            value={operation.progress * 100}
            size="sm"
            flex={1}
            aria-label={`Progress of ${inSentence(row.title)}`}
          />
          <Text span size="xs">
            {operation.stage ?? 'waiting for a worker'}
          </Text>
        </div>
      )}
      {row.status === 'failed' && operation?.error && (
        <div className={classes.under}>
          <Text span size="sm" c="red" lineClamp={2}>
            {operation.error.detail}
          </Text>
          <Button variant="subtle" size="compact-xs" onClick={onShowOperation}>
            Details
          </Button>
        </div>
      )}
      {!running && (headline !== null || offered !== null) && (
        <div className={classes.under}>
          <span>{headline ?? (result ? '' : 'No result yet')}</span>
          {offered !== null && reasonAgainst(row.kind) === null && (
            <Group gap={0} wrap="nowrap" flex="none">
              <Button
                variant="subtle"
                size="compact-xs"
                leftSection={<IconPlayerPlay size={12} aria-hidden />}
                loading={again.isStarting}
                onClick={() => (operation ? again.now(operation) : onRun(offered))}
                aria-label={`${operation ? 'Run again' : 'Run'}: ${inSentence(row.title)}`}
              >
                {operation ? 'Run again' : 'Run'}
              </Button>
              {operation && (
                <Tooltip label="Run again with changes">
                  <ActionIcon
                    size="sm"
                    onClick={() => again.withChanges(operation)}
                    aria-label={`Run again with changes: ${inSentence(row.title)}`}
                  >
                    <IconAdjustments size={14} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </Group>
          )}
        </div>
      )}
    </div>
  );
}

interface RunAnalysisMenuProps {
  reasonAgainst: (kind: AnalysisKind) => string | null;
  onRun: (kind: AnalysisKind) => void;
}

/** What the service carries out; what can't be run now says why. */
export function RunAnalysisMenu({ reasonAgainst, onRun }: RunAnalysisMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={<IconPlus size={14} aria-hidden />}>Run analysis</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {carriedOutAnalyses.map((kind) => {
          const reason = reasonAgainst(kind);
          const Icon = kindPages[kind]?.icon ?? IconFlask;
          return (
            <Menu.Item
              key={kind}
              disabled={reason !== null}
              leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
              onClick={() => onRun(kind)}
            >
              {analysisFacts[kind].title}
              <Text size="xs" maw={260}>
                {reason ?? analysisFacts[kind].purpose}
              </Text>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
