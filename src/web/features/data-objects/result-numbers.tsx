import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DataObject, Project } from '#web/api/generated/types.gen.ts';
import { NumberDownloads } from '#web/ui/number-downloads.tsx';
import { numberRows } from '#web/ui/number-files.ts';
import { makingOptions } from './queries.ts';

interface ResultNumbersProps {
  project: Project;
  dataObject: DataObject;
}

/** The numbers of a data object to keep, beside what made it: inputs with sums, parameters, versions, seconds. */
export function ResultNumbers({ project, dataObject }: ResultNumbersProps) {
  const { id, kind, name, createdAt, createdByOperation, metadata } = dataObject;
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
        ...numberRows('result', metadata),
        ...(provenance ? numberRows('provenance', provenance) : []),
      ]}
      whole={() => ({ about, result: metadata, provenance: provenance ?? null })}
    />
  );
}
