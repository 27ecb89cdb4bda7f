import { type ComboboxItem, type ComboboxItemGroup, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#web/api/errors.ts';
import type { ForeignReference } from '#web/api/generated/types.gen.ts';
import { type FieldProps, nameChoice, type SourceChoice, sharedProps } from './field-input.tsx';
import { foreignReferencesOptions } from './queries.ts';

interface ReferenceInputProps extends FieldProps {
  projectId: string;
  value: string | null;
  /** references of the project itself, the most likely first */
  own: readonly SourceChoice[];
  /** the chosen reference of another project */
  foreign: ForeignReference | null;
}

function describePlace({ projectName, partNumber, metadata, name }: ForeignReference): string {
  const file = 'sourceFileName' in metadata ? metadata.sourceFileName : undefined;
  return [projectName, partNumber, file === name ? null : file]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ');
}
const nameForeign = (reference: ForeignReference): string => `${reference.name} of ${reference.projectName}`;

/** Kinds of references in other projects, the most likely first. */
const foreignGroups: readonly { kind: ForeignReference['kind']; title: string }[] = [
  { kind: 'cad', title: 'CAD of other projects' },
  { kind: 'volume', title: 'Scans of other projects' },
  { kind: 'mesh', title: 'Meshes of other projects' },
];

/** Chooses the reference of a comparison: data of the project, or of another project of the organization. */
export function ReferenceInput(props: ReferenceInputProps) {
  const { projectId, field, value, own, foreign, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const choices = own.map((choice) => ({ value: choice.id, label: nameChoice(choice) }));
  const chosen = foreign ? nameForeign(foreign) : choices.find((choice) => choice.value === value)?.label;
  // The input shows the name of the current choice; it is not a search text.
  const search = typed === chosen ? '' : typed.trim();
  const [settled] = useDebouncedValue(search, 200);
  const look = (kind: ForeignReference['kind']) => ({
    ...foreignReferencesOptions(projectId, kind, settled),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const found = {
    cad: useInfiniteQuery(look('cad')),
    volume: useInfiniteQuery(look('volume')),
    mesh: useInfiniteQuery(look('mesh')),
  };
  const others = foreignGroups.flatMap(
    ({ kind }) => found[kind].data?.pages.flatMap(({ results }) => results) ?? [],
  );
  if (foreign && !others.some(({ id }) => id === foreign.id)) others.unshift(foreign);
  const byId = new Map(others.map((each) => [each.id, each]));
  const fitting = choices.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  const groups: ComboboxItemGroup<ComboboxItem>[] = [
    { group: 'This project', items: search === '' ? choices : fitting },
    ...foreignGroups.map(({ kind, title }) => ({
      group: title,
      items: others
        .filter((each) => each.kind === kind)
        .map((each) => ({ value: each.id, label: nameForeign(each) })),
    })),
  ];
  const queries = Object.values(found);
  const failure = queries.find((query) => query.error)?.error;
  return (
    <Select
      {...sharedProps(props)}
      data={groups.filter(({ items }) => items.length > 0)}
      // Already filtered: foreign references by the service, own ones above.
      filter={({ options }) => options}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setIsOpen(true)}
      value={value}
      onChange={(next) => onChange(next ?? undefined)}
      placeholder={
        own[0] === undefined || field.required ? 'Choose one, or search' : `Newest: ${own[0].name}`
      }
      clearable={!field.required}
      nothingFoundMessage={
        failure
          ? explain(failure).detail
          : queries.some(({ isFetching }) => isFetching)
            ? 'Searching…'
            : search === ''
              ? 'Nothing to compare with in this organization yet'
              : 'No results'
      }
      maxDropdownHeight={320}
      scrollAreaProps={{
        onBottomReached: () => {
          const next = queries.find(({ hasNextPage, isFetching }) => hasNextPage && !isFetching);
          void next?.fetchNextPage();
        },
      }}
      renderOption={({ option }) => {
        const other = byId.get(option.value);
        return other === undefined ? (
          option.label
        ) : (
          <div>
            <Text size="sm">{other.name}</Text>
            <Text size="xs" c="dimmed">
              {describePlace(other)}
            </Text>
          </div>
        );
      }}
    />
  );
}
