import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { projectChoicesOptions } from './queries.ts';

interface ProjectSelectProps {
  organizationId: string;
  label: string;
  value: string | null;
  onChange: (projectId: string | null) => void;
  /** takes the focus when its dialog opens */
  autoFocus?: boolean;
}

/** Chooses an active project of the organization by its name. */
export function ProjectSelect({ organizationId, label, value, onChange, autoFocus }: ProjectSelectProps) {
  const [search, setSearch] = useState('');
  const [settled] = useDebouncedValue(search, 180);
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  // The name of the current choice is not a search text.
  const projects = useQuery(
    projectChoicesOptions(organizationId, settled === chosen?.label ? '' : settled.trim()),
  );
  const found = (projects.data?.results ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const data = chosen && !found.some((each) => each.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      label={label}
      placeholder="Search a project"
      data={data}
      value={value}
      searchable
      data-autofocus={autoFocus || undefined}
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage={projects.isPending ? 'Searching' : 'No active project has a name with this text'}
      onChange={(id) => {
        setChosen(data.find((each) => each.value === id) ?? null);
        onChange(id);
      }}
      style={{ flex: 1 }}
    />
  );
}
