import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listMeasured } from '#contract/analyses/data-kinds.ts';
import type { DataObject, Project } from '#web/api/generated/types.gen.ts';
import { NumberDownloads } from '#web/ui/number-downloads.tsx';
import { type NumberRow, numberRows } from '#web/ui/number-files.ts';
import { makingOptions } from './queries.ts';

interface ResultNumbersProps {
  project: Project;
  dataObject: DataObject;
}

/** Its measures by their labels, then all other values by their path. */
function resultRows(dataObject: DataObject): NumberRow[] {
  const measured = listMeasured(dataObject);
  const paths = new Set(measured.map(({ measure }) => measure.path));
  return [
    ...measured.map(({ measure, value, unit }) => ({
      section: 'result',
      quantity: measure.label,
      value,
      unit,
    })),
    ...numberRows('result', dataObject.metadata).filter(({ quantity }) => !paths.has(quantity)),
  ];
}

/**
 * Downloads of all numbers of a data object with its provenance: inputs with checksums, parameters, versions,
 * durations.
 */
export function ResultNumbers({ project, dataObject }: ResultNumbersProps) {
  const { id, kind, name, createdAt, createdByOperation, metadata, warnings } = dataObject;
  const making = useQuery({
    ...makingOptions(createdByOperation ?? ''),
    enabled: createdByOperation !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (createdByOperation !== null && making.isPending) return <Skeleton height={22} width={110} />;
  const about = {
    project: project.name,
    partNumber: project.partNumber,
    serialNumber: project.serialNumber,
    lot: project.lot,
    dataObjectId: id,
    kind,
    name,
    createdAt,
  };
  const operation = making.data;
  const provenance = operation && {
    operation: operation.operation,
    operationId: operation.id,
    ...(operation.provenance ?? { parameters: operation.parameters }),
  };
  return (
    <NumberDownloads
      what={name.toLowerCase()}
      nameParts={[project.partNumber || project.name, project.serialNumber, name, createdAt.slice(0, 10)]}
      rows={() => [
        ...numberRows('about', about),
        ...resultRows(dataObject),
        ...warnings.map(({ code, message }) => ({
          section: 'warning',
          quantity: code,
          value: message,
          unit: '',
        })),
        ...(provenance ? numberRows('provenance', provenance) : []),
      ]}
      whole={() => ({ about, result: metadata, warnings, provenance: provenance ?? null })}
    />
  );
}
