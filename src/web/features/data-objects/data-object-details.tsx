import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Project } from '#web/api/generated/types.gen.ts';
import { CopyId } from '#web/ui/copy-id.tsx';
import { valueRows } from '#web/ui/value-rows.ts';
import { WarningsList } from '#web/ui/warnings-list.tsx';
import { ChangeKind } from './change-kind.tsx';
import classes from './data-objects.module.css';
import { FilesList } from './files-list.tsx';
import { kindWords } from './kind-words.ts';
import { mainRows } from './main-rows.ts';
import { ProvenancePanel, type ProvenancePanelProps } from './provenance-panel.tsx';
import { QualityCard } from './quality-card.tsx';
import { ResultNumbers } from './result-numbers.tsx';
import { RowsTable } from './rows-table.tsx';

interface DataObjectDetailsProps extends ProvenancePanelProps {
  project: Project;
  /** why the project can't be changed; null = it can */
  editReason: string | null;
  /** the figures of its kind; null if only the metadata is shown */
  result: ReactNode | null;
}

/** Everything about one data object: figures, files, metadata and provenance. */
export function DataObjectDetails({
  project,
  editReason,
  dataObject,
  dataObjects,
  result,
  again,
  parameterRows,
}: DataObjectDetailsProps) {
  const { title, icon: Icon } = kindWords(dataObject.kind);
  const rows = valueRows(dataObject.metadata);
  const main = mainRows(dataObject);
  return (
    <section aria-labelledby="selected-data">
      <Group gap={8} mb={8}>
        <Group gap={8} wrap="nowrap" miw={0}>
          <span style={{ display: 'flex', flex: 'none' }}>
            <Icon size={16} stroke={1.6} aria-hidden />
          </span>
          <Title order={2} size="h2" id="selected-data" style={{ overflowWrap: 'anywhere' }}>
            {dataObject.name}
          </Title>
        </Group>
        {dataObject.name !== title && (
          <Text c="dimmed" size="sm" style={{ whiteSpace: 'nowrap' }}>
            {title}
          </Text>
        )}
        <ChangeKind dataObject={dataObject} reason={editReason} />
      </Group>
      {result === null && <WarningsList warnings={dataObject.warnings} />}
      {result !== null && <div className={classes.section}>{result}</div>}
      {result !== null && (
        <Group className={classes.section} justify="space-between" wrap="nowrap">
          <Text span size="sm">
            All numbers
          </Text>
          <ResultNumbers project={project} dataObject={dataObject} />
        </Group>
      )}
      {result === null && main.length > 0 && (
        <div className={classes.section}>
          <RowsTable label={`Details of ${dataObject.name}`} rows={main} />
        </div>
      )}
      {'quality' in dataObject.metadata && dataObject.metadata.quality && (
        <QualityCard
          dataObjectId={dataObject.id}
          volume={dataObject.metadata}
          quality={dataObject.metadata.quality}
        />
      )}
      <div className={classes.section}>
        <Title order={3} size="h3" mb={4}>
          Files
        </Title>
        <FilesList dataObject={dataObject} />
      </div>
      <div className={classes.section}>
        <Title order={3} size="h3" mb={4}>
          Provenance
        </Title>
        <ProvenancePanel
          dataObject={dataObject}
          dataObjects={dataObjects}
          again={again}
          parameterRows={parameterRows}
        />
      </div>
      {(result !== null ? rows.length > 0 : rows.length > main.length) && (
        <details className={classes.section}>
          <summary>
            <Text span size="sm" fw={500}>
              All metadata
            </Text>
          </summary>
          <RowsTable label={`All metadata of ${dataObject.name}`} rows={rows} />
        </details>
      )}
      <Text size="xs" c="dimmed" mt="sm" component="div">
        Id <CopyId value={dataObject.id} what="id of the data object" shown={13} />
      </Text>
    </section>
  );
}
