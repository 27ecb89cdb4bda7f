import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAdjustments, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatNumber, withUnit } from '#contract/base/format-number.ts';
import { useDataNames } from '#web/api/data-names.ts';
import { explain } from '#web/api/errors.ts';
import type { DataObject, Operation } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { CopyId } from '#web/ui/copy-id.tsx';
import { formatBytes, formatDuration, formatExact } from '#web/ui/quantity.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';
import { makingOptions } from './queries.ts';
import { RowsTable } from './rows-table.tsx';

/** Ways to repeat the operation that created the data. */
export interface RunAgain {
  /** at once, with the same parameters */
  now: (operation: Operation) => void;
  isStarting: boolean;
  /** in a form prefilled with the same parameters */
  withChanges: (operation: Operation) => void;
  /** why an analysis can't be run now; null = it can */
  reasonAgainst: (operation: string) => string | null;
}

/** Parameters labelled as in their form; data objects by name. */
export type ParameterRows = (
  operation: string,
  parameters: Record<string, unknown>,
  findName: (dataObjectId: string) => string | null,
) => readonly ValueRow[];

export interface ProvenancePanelProps {
  dataObject: DataObject;
  /** the project's data, to name the inputs */
  dataObjects: readonly DataObject[];
  again: RunAgain;
  parameterRows: ParameterRows;
}

/** The provenance of the data: inputs with checksums, parameters, algorithm versions, time and memory. */
export function ProvenancePanel({ dataObject, dataObjects, again, parameterRows }: ProvenancePanelProps) {
  const { createdByOperation } = dataObject;
  const making = useQuery({
    ...makingOptions(createdByOperation ?? ''),
    enabled: createdByOperation !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const findName = useDataNames(dataObject.projectId, dataObjects, making.data?.inputDataObjectIds ?? []);
  if (createdByOperation === null)
    return (
      <Text size="sm" c="dimmed">
        Not made by an operation of this service.
      </Text>
    );
  if (making.isPending) return <Skeleton height={90} />;
  if (making.error)
    return (
      <Text size="sm" c="danger">
        {explain(making.error).detail}
      </Text>
    );
  const operation = making.data;
  const { provenance } = operation;
  const parameters = parameterRows(
    operation.operation,
    provenance?.parameters ?? operation.parameters,
    findName,
  );
  return (
    <Stack gap="sm">
      {provenance && (
        <>
          <RowsTable
            label="How it was computed"
            rows={[
              {
                label: 'Computing time',
                value:
                  provenance.seconds < 10
                    ? withUnit(formatNumber(provenance.seconds, 1), 's')
                    : formatDuration(provenance.seconds),
              },
              { label: 'Peak memory', value: formatBytes(provenance.peakMemoryBytes) },
              { label: 'Version', value: `Scanwright ${provenance.version}` },
              ...(operation.finishedAt === null
                ? []
                : [{ label: 'Finished', value: formatExact(Date.parse(operation.finishedAt)) }]),
            ]}
          />
          {provenance.inputs.map(({ dataObjectId, sha256 }) => (
            <div key={dataObjectId}>
              <Text size="sm" c="dimmed">
                Input: {findName(dataObjectId) ?? 'no longer in the project'}
              </Text>
              <Text size="xs" component="div">
                {sha256 === null ? (
                  <CopyId value={dataObjectId} what="id of the input" shown={16} />
                ) : (
                  <>
                    SHA-256 <CopyId value={sha256} what="SHA-256 of the input" shown={16} />
                  </>
                )}
              </Text>
            </div>
          ))}
        </>
      )}
      {parameters.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            Parameters
          </Text>
          <RowsTable label="Parameters" rows={parameters} />
        </div>
      )}
      {provenance && Object.keys(provenance.algorithms).length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            Algorithms
          </Text>
          <RowsTable
            label="Versions of the algorithms"
            rows={valueRows(provenance.algorithms).map(({ label, value }) => ({
              label,
              value: `version ${value}`,
            }))}
          />
        </div>
      )}
      {operation.operation !== 'ingest' && (
        <Group gap="xs">
          <ActionButton
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            reason={again.reasonAgainst(operation.operation)}
            loading={again.isStarting}
            onClick={() => again.now(operation)}
          >
            Run again
          </ActionButton>
          <ActionButton
            variant="default"
            leftSection={<IconAdjustments size={14} aria-hidden />}
            onClick={() => again.withChanges(operation)}
          >
            Run again with changes…
          </ActionButton>
        </Group>
      )}
    </Stack>
  );
}
