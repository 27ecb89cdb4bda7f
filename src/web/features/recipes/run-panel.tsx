import { Group, Progress, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatGuardBand } from '#contract/analyses/gates.ts';
import { findTitle } from '#contract/analyses/registry.ts';
import { splitMeasure } from '#contract/analyses/steps.ts';
import { formatAgainstLimit, formatGiven, formatNumber } from '#contract/base/format-number.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import { readOperationOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { linkClass } from '#web/ui/data-table.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { spellOut } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { comparisonWords, resolveMeasure } from './draft.ts';
import { Flow } from './flow.tsx';
import { useCancelRun, useDownloadResults, useRetryRun } from './mutations.ts';
import { runOptions } from './queries.ts';
import classes from './recipes.module.css';
import { RunOnceMore } from './run-once-more.tsx';
import { type ParameterRows, RunProvenance } from './run-provenance.tsx';

interface RunPanelProps {
  runId: string;
  /** why the user may not stop or retry; null = they may */
  reason: string | null;
  parameterRows: ParameterRows;
}

/** A run in progress or finished: its verdict, each gate's measured value and limit, and the states of its steps. */
export function RunPanel({ runId, reason, parameterRows }: RunPanelProps) {
  const run = useQuery(runOptions(runId));
  if (run.isPending)
    return (
      <Stack gap="sm" aria-busy="true">
        <Skeleton height={46} />
        <Skeleton height={120} />
        <Skeleton height={160} />
      </Stack>
    );
  if (run.error && !run.data) return <ProblemAlert query={run} />;
  return <Run run={run.data} reason={reason} parameterRows={parameterRows} />;
}

/** The operations of the completed steps, by id. */
function useFinishedOperations(run: RecipeInvocation): ReadonlyMap<string, Operation> {
  const finished = run.steps.flatMap(({ operationId, status }) =>
    operationId !== null && status === 'completed' ? [operationId] : [],
  );
  return useQueries({
    queries: finished.map((id) => readOperationOptions({ path: { id } })),
    combine: (results) =>
      new Map(results.flatMap(({ data }): [string, Operation][] => (data ? [[data.id, data]] : []))),
  });
}

interface ViewerLinkProps {
  projectId: string;
  operation: Operation | undefined;
  /** label of the link */
  label: string;
}

/** Links to the output of an operation in the viewer; renders nothing without an output. */
function ViewerLink({ projectId, operation, label }: ViewerLinkProps) {
  const [output] = operation?.outputDataObjectIds ?? [];
  if (output === undefined) return null;
  return (
    <Link
      className={linkClass}
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ data: output }}
      aria-label={label}
    >
      In the viewer
    </Link>
  );
}

function Run({ run, reason, parameterRows }: Omit<RunPanelProps, 'runId'> & { run: RecipeInvocation }) {
  const operations = useFinishedOperations(run);
  return (
    <Stack gap="lg">
      <Head run={run} reason={reason} />
      {run.error && <ProblemAlert title="The run did not finish" detail={run.error.detail} />}
      <Flow steps={run.steps} />
      {run.gates.length > 0 && <Gates run={run} operations={operations} />}
      <Steps run={run} operations={operations} />
      <RunProvenance run={run} operations={operations} parameterRows={parameterRows} />
    </Stack>
  );
}

function Head({ run, reason }: { run: RecipeInvocation; reason: string | null }) {
  const cancel = useCancelRun();
  const retry = useRetryRun();
  const download = useDownloadResults();
  const underWay = isUnfinished(run.status);
  const canRetry = run.status === 'failed' || run.status === 'cancelled';
  const hasResults =
    run.finishedAt !== null &&
    run.status !== 'cancelled' &&
    run.steps.some((step) => step.status === 'completed');
  return (
    <Group className={classes.verdict} justify="space-between" gap="md">
      <Group gap="lg">
        {run.verdict !== null && (
          <Text component="div" size="lg" fw={600}>
            <StatusBadge status={run.verdict} />
          </Text>
        )}
        <StatusBadge status={run.status} />
        {underWay && (
          <Group gap="xs" wrap="nowrap">
            <Progress value={run.progress * 100} w={180} size="sm" aria-label="Progress of the run" />
            <Text size="sm" className="numbers">
              {Math.floor(run.progress * 100)} %
            </Text>
          </Group>
        )}
        {!underWay && run.verdict === null && run.status === 'completed' && (
          <Text c="dimmed">no gates, so no verdict</Text>
        )}
      </Group>
      <Group gap="xs">
        {underWay && (
          <ActionButton
            variant="default"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            reason={reason}
            loading={cancel.isPending}
            disabled={run.status === 'cancelling'}
            onClick={() => cancel.mutate(run.id, { onError: notifyFailure })}
          >
            {run.status === 'cancelling' ? 'Stopping' : 'Stop'}
          </ActionButton>
        )}
        {canRetry && (
          <ActionButton
            leftSection={<IconRefresh size={14} aria-hidden />}
            reason={reason}
            loading={retry.isPending}
            onClick={() => retry.mutate(run.id, { onError: notifyFailure })}
          >
            Retry the steps that did not succeed
          </ActionButton>
        )}
        {run.finishedAt !== null && <RunOnceMore run={run} reason={reason} />}
        {hasResults && (
          <ActionButton
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate(run.id, { onError: notifyFailure })}
          >
            Download report and results
          </ActionButton>
        )}
      </Group>
    </Group>
  );
}

interface RunTableProps {
  run: RecipeInvocation;
  operations: ReadonlyMap<string, Operation>;
}

function Gates({ run, operations }: RunTableProps) {
  const steps = run.steps.map((step) => ({ ...step, parameters: {} })) as Parameters<
    typeof resolveMeasure
  >[1];
  const findOperation = (measure: string) =>
    run.steps.find(({ key }) => key === splitMeasure(measure).step)?.operationId ?? '';
  return (
    <section aria-labelledby="gates-title">
      <Title order={2} size="h3" id="gates-title" mb="xs">
        Gates
      </Title>
      <Table.ScrollContainer minWidth={680}>
        <Table aria-label="Gates of the run">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Gate</Table.Th>
              <Table.Th>Measure</Table.Th>
              <Table.Th ta="right">Measured</Table.Th>
              <Table.Th ta="right">Limit</Table.Th>
              <Table.Th ta="right">Guard band</Table.Th>
              <Table.Th w={150}>Verdict</Table.Th>
              <Table.Th w={120}>Measured on</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {run.gates.map((gate) => (
              <Table.Tr key={gate.key}>
                <Table.Td>{gate.key}</Table.Td>
                <Table.Td>
                  {resolveMeasure(gate.measure, steps)?.label ?? gate.measure}{' '}
                  <Text span size="sm" c="dimmed">
                    of {splitMeasure(gate.measure).step}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {formatAgainstLimit(gate.measured, gate.limit, gate.unit)}
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {comparisonWords[gate.comparison]} {formatGiven(gate.limit, gate.unit)}
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {formatGuardBand(gate.guardBand, gate.unit)}
                </Table.Td>
                <Table.Td>
                  {gate.verdict === null ? (
                    <Text span c="dimmed">
                      {isUnfinished(run.status) ? 'not yet' : 'not measured'}
                    </Text>
                  ) : (
                    <StatusBadge status={gate.verdict} />
                  )}
                </Table.Td>
                <Table.Td>
                  <ViewerLink
                    projectId={run.projectId}
                    operation={operations.get(findOperation(gate.measure))}
                    label={`Show in the viewer what the gate ${gate.key} was measured on`}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function Steps({ run, operations }: RunTableProps) {
  return (
    <section aria-labelledby="steps-title">
      <Title order={2} size="h3" id="steps-title" mb="xs">
        Steps
      </Title>
      <Table.ScrollContainer minWidth={680}>
        <Table aria-label="Steps of the run">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={180}>Step</Table.Th>
              <Table.Th w={200}>Analysis</Table.Th>
              <Table.Th w={130}>Status</Table.Th>
              <Table.Th>What happened</Table.Th>
              <Table.Th w={90} ta="right">
                Seconds
              </Table.Th>
              <Table.Th w={120}>Result</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {run.steps.map((step) => {
              const operation = operations.get(step.operationId ?? '');
              return (
                <Table.Tr key={step.key}>
                  <Table.Td>{step.key}</Table.Td>
                  <Table.Td>{findTitle(step.operation) ?? spellOut(step.operation)}</Table.Td>
                  <Table.Td>
                    <StatusBadge
                      status={step.status}
                      label={
                        step.status === 'cancelled' && step.operationId === null ? 'Not started' : undefined
                      }
                    />
                  </Table.Td>
                  <Table.Td>
                    {step.error ? (
                      <Text span c="var(--mantine-color-text)" style={{ overflowWrap: 'anywhere' }}>
                        {step.error.detail}
                      </Text>
                    ) : step.status === 'processing' ? (
                      <Progress
                        value={step.progress * 100}
                        size="sm"
                        maw={220}
                        aria-label={`Progress of ${step.key}`}
                      />
                    ) : step.status === 'pending' && step.needs.length > 0 ? (
                      <Text span c="dimmed">
                        waits for {step.needs.join(', ')}
                      </Text>
                    ) : null}
                  </Table.Td>
                  <Table.Td ta="right" className="numbers">
                    {operation?.provenance ? formatNumber(operation.provenance.seconds, 1) : ''}
                  </Table.Td>
                  <Table.Td>
                    <ViewerLink
                      projectId={run.projectId}
                      operation={operation}
                      label={`Show ${step.key} in the viewer`}
                    />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
