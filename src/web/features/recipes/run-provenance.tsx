import { Group, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { findTitle } from '#contract/analyses/registry.ts';
import { formatNumber } from '#contract/base/format-number.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import { useDataNames } from '#web/api/data-names.ts';
import { listProjectDataOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { CopyId } from '#web/ui/copy-id.tsx';
import { NumberDownloads } from '#web/ui/number-downloads.tsx';
import { type NumberRow, numberRows } from '#web/ui/number-files.ts';
import { spellOut } from '#web/ui/quantity.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** Parameters labelled as in their form. */
export type ParameterRows = (
  operation: string,
  parameters: Record<string, unknown>,
  findName: (dataObjectId: string) => string | null,
) => readonly ValueRow[];

interface RunProvenanceProps {
  run: RecipeInvocation;
  /** operations of the completed steps, by id */
  operations: ReadonlyMap<string, Operation>;
  parameterRows: ParameterRows;
}

/**
 * The inputs of each step: data with checksums, parameters, versions, durations; and downloads of all numbers of the
 * run.
 */
export function RunProvenance({ run, operations, parameterRows }: RunProvenanceProps) {
  const data = useQuery(listProjectDataOptions({ path: { id: run.projectId }, query: { page_size: 200 } }));
  const done = run.steps.flatMap((step) => {
    const operation = operations.get(step.operationId ?? '');
    return operation?.provenance ? [{ ...step, operation, provenance: operation.provenance }] : [];
  });
  const inputs = done.flatMap(({ operation }) => operation.inputDataObjectIds);
  const findName = useDataNames(run.projectId, data.data?.results, inputs);
  if (done.length === 0) return null;
  return (
    <section aria-labelledby="provenance-title">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="provenance-title">
          Provenance
        </Title>
        <NumberDownloads
          what="the run"
          nameParts={[run.recipeName ?? 'Pipeline', (run.finishedAt ?? run.createdAt).slice(0, 10)]}
          rows={() => listRows(run, done)}
          whole={() => ({
            run: run.id,
            recipe: run.recipeName,
            version: run.version,
            verdict: run.verdict,
            gates: run.gates,
            steps: done.map(({ key, provenance, operation }) => ({
              key,
              operation: operation.operation,
              provenance,
            })),
          })}
        />
      </Group>
      <Table.ScrollContainer minWidth={680}>
        <Table aria-label="What the steps are based on" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={180}>Step</Table.Th>
              <Table.Th w={280}>Inputs</Table.Th>
              <Table.Th>Parameters</Table.Th>
              <Table.Th w={260}>Versions</Table.Th>
              <Table.Th w={90} ta="right">
                Seconds
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {done.map(({ key, operation, provenance }) => (
              <Table.Tr key={key} style={{ verticalAlign: 'top' }}>
                <Table.Td>
                  {key}
                  <Text size="xs" c="dimmed">
                    {findTitle(operation.operation) ?? spellOut(operation.operation)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {provenance.inputs.map(({ dataObjectId, sha256 }) => (
                    <div key={dataObjectId}>
                      {findName(dataObjectId) ?? 'no longer in the project'}
                      <Text size="xs" component="div">
                        {sha256 === null ? (
                          <CopyId value={dataObjectId} what={`id of what went into ${key}`} shown={13} />
                        ) : (
                          <>
                            SHA-256{' '}
                            <CopyId value={sha256} what={`SHA-256 of what went into ${key}`} shown={13} />
                          </>
                        )}
                      </Text>
                    </div>
                  ))}
                </Table.Td>
                <Table.Td>
                  {parameterRows(operation.operation, provenance.parameters, findName)
                    .map(({ label, value }) => `${label} ${value}`)
                    .join(' · ')}
                </Table.Td>
                <Table.Td>
                  Scanwright {provenance.version}
                  <Text size="xs" c="dimmed">
                    {valueRows(provenance.algorithms)
                      .map(({ label, value }) => `${label} ${value}`)
                      .join(' · ')}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {formatNumber(provenance.seconds, 1)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function listRows(
  run: RecipeInvocation,
  steps: readonly { key: string; provenance: NonNullable<Operation['provenance']> }[],
): NumberRow[] {
  const { id, recipeName, version, verdict, createdAt, finishedAt } = run;
  return [
    ...numberRows('about', { id, recipeName, version, verdict, createdAt, finishedAt }),
    ...run.gates.flatMap((gate): NumberRow[] => [
      { section: 'gates', quantity: `${gate.key}.${gate.measure}`, value: gate.measured, unit: gate.unit },
      {
        section: 'gates',
        quantity: `${gate.key}.limit ${gate.comparison}`,
        value: gate.limit,
        unit: gate.unit,
      },
      { section: 'gates', quantity: `${gate.key}.guardBand`, value: gate.guardBand, unit: gate.unit },
      { section: 'gates', quantity: `${gate.key}.verdict`, value: gate.verdict, unit: '' },
    ]),
    ...steps.flatMap(({ key, provenance }) => numberRows(`provenance of ${key}`, provenance)),
  ];
}
