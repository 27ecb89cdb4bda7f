import { type ComboboxItem, type ComboboxItemGroup, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field } from '#contract/analyses/fields.ts';
import { explain } from '#web/api/errors.ts';
import type { ForeignReference } from '#web/api/generated/types.gen.ts';
import { nameChoice, type SourceChoice, sharedProps } from './field-input.tsx';
import { foreignReferencesOptions } from './queries.ts';

interface ReferenceInputProps {
  projectId: string;
  field: Field;
  value: string | null;
  error: string | undefined;
  /** of the project itself, the likeliest first */
  own: readonly SourceChoice[];
  /** the one of another project that is chosen */
  foreign: ForeignReference | null;
  autoFocus: boolean;
  onChange: (value: string | undefined) => void;
  onLeave: () => void;
}

const describePlace = ({ projectName, partNumber, metadata, name }: ForeignReference): string =>
  [projectName, partNumber, metadata.sourceFileName === name ? null : metadata.sourceFileName]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ');
const nameForeign = (reference: ForeignReference): string => `${reference.name} of ${reference.projectName}`;

/** What a part is compared with: data of the project, or CAD of another one of the organization. */
export function ReferenceInput({
  projectId,
  field,
  value,
  error,
  own,
  foreign,
  autoFocus,
  onChange,
  onLeave,
}: ReferenceInputProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const choices = own.map((choice) => ({ value: choice.id, label: nameChoice(choice) }));
  const chosen = foreign ? nameForeign(foreign) : choices.find((choice) => choice.value === value)?.label;
  // The name of what is chosen stands where one types.
  const search = typed === chosen ? '' : typed.trim();
  const [asked] = useDebouncedValue(search, 200);
  const found = useInfiniteQuery({
    ...foreignReferencesOptions(projectId, asked),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const pages = found.data?.pages ?? [];
  const others = pages.flatMap(({ results }) => results);
  if (foreign && !others.some(({ id }) => id === foreign.id)) others.unshift(foreign);
  const byId = new Map(others.map((each) => [each.id, each]));
  const fitting = choices.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  const groups: ComboboxItemGroup<ComboboxItem>[] = [
    { group: 'This project', items: search === '' ? choices : fitting },
    {
      group: 'CAD of other projects',
      items: others.map((each) => ({ value: each.id, label: nameForeign(each) })),
    },
  ];
  return (
    <Select
      {...sharedProps(field, error, { autoFocus, onLeave })}
      data={groups.filter(({ items }) => items.length > 0)}
      // The service has searched; own data has been above.
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
        found.error
          ? explain(found.error).detail
          : found.isFetching
            ? 'Searching…'
            : search === ''
              ? 'No CAD in this organization yet'
              : 'No results'
      }
      maxDropdownHeight={320}
      scrollAreaProps={{
        onBottomReached: () => {
          if (found.hasNextPage && !found.isFetching) void found.fetchNextPage();
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
