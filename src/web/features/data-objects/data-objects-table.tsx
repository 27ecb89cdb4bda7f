import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import type { DataTableColumn } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import classes from './data-objects.module.css';
import { kindWords } from './kind-words.ts';
import { projectDataOptions } from './queries.ts';

interface DataObjectsTableProps {
  projectId: string;
  selectedId: string | null;
  onSelect: (dataObjectId: string) => void;
  /** details of the selected data object, beside the table */
  details: ReactNode;
}

/** The project's data objects, newest first. */
export function DataObjectsTable({ projectId, selectedId, onSelect, details }: DataObjectsTableProps) {
  const list = useQuery(projectDataOptions(projectId));
  const isSelected = ({ id }: DataObject) => id === selectedId;
  const columns: DataTableColumn<DataObject>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (each) => (
        <UnstyledButton
          className={classes.name}
          aria-pressed={isSelected(each)}
          onClick={() => onSelect(each.id)}
        >
          {each.name}
        </UnstyledButton>
      ),
    },
    ...factColumns,
  ];
  const isEmpty = list.data?.results.length === 0;
  return (
    <div className={classes.page} data-alone={isEmpty || details === null || undefined}>
      <List
        caption="Data of the project"
        list={list}
        columns={columns}
        onOpen={({ id }) => onSelect(id)}
        isMarked={isSelected}
        empty={{
          title: 'No data yet',
          children:
            'Volumes, meshes and results of analyses are kept here. Upload a scan, or drop it anywhere on this page.',
        }}
        isWhole
        isNarrow
      />
      {!isEmpty && details}
    </div>
  );
}

const factColumns: DataTableColumn<DataObject>[] = [
  {
    key: 'kind',
    title: 'Kind',
    width: 184,
    render: ({ kind }) => {
      const { title, icon: Icon } = kindWords(kind);
      return (
        <Text span inherit className={classes.kind}>
          <Icon size={14} stroke={1.6} aria-hidden /> {title}
        </Text>
      );
    },
  },
  {
    key: 'files',
    title: 'Files',
    width: 50,
    room: 'some',
    align: 'right',
    render: ({ files }) => formatCount(files.length),
  },
  {
    key: 'size',
    title: 'Size',
    width: 84,
    align: 'right',
    render: ({ files }) =>
      files.length === 0 ? '–' : formatBytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
  },
  { key: 'status', title: 'Status', width: 124, render: ({ status }) => <StatusBadge status={status} /> },
  { ...createdColumn, width: 96, room: 'some' },
];
