import { Button, Group, Kbd, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import type { Workspace } from '#contract/shapes/organization.ts';
import { projectStates } from '#contract/shapes/project.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { isFiltered, type ProjectSearch, verdictFilters, withoutFilters } from './list-search.ts';
import { WorkspaceSelect } from './workspace-select.tsx';

const stateLabels: Record<string, string> = { active: 'Active', archived: 'Archived', deleted: 'Trash' };
const verdictLabels: Record<string, string> = {
  pass: 'Pass',
  fail: 'Fail',
  indeterminate: 'Indeterminate',
  none: 'No verdict',
};

interface ProjectFiltersProps {
  search: ProjectSearch;
  workspaces: Workspace[];
  tagSuggestions: string[];
  searchRef: Ref<HTMLInputElement>;
  /** `replace`: adds no step to the browser history */
  onChange: (change: Partial<ProjectSearch>, replace?: boolean) => void;
  onClear: (search: ProjectSearch) => void;
}

const typingMs = 250;

/** Search and filters of the list, all stored in the address. */
export function ProjectFilters(props: ProjectFiltersProps) {
  const { search, workspaces, tagSuggestions, searchRef, onChange, onClear } = props;
  const [text, setText] = useState(search.search ?? '');
  const sent = useRef(search.search ?? '');

  // Back, a link or “Clear” change the address: the field follows, but never overwrites what is being typed.
  useEffect(() => {
    const inAddress = search.search ?? '';
    if (inAddress === sent.current) return;
    sent.current = inAddress;
    setText(inAddress);
  }, [search.search]);

  const send = useDebouncedCallback((typed: string) => {
    const wanted = typed.trim();
    if (wanted === sent.current) return;
    const goesOn = sent.current !== '' && wanted !== '';
    sent.current = wanted;
    onChange({ search: wanted || undefined }, goesOn);
  }, typingMs);

  // On a phone the list needs the space: filters open on request.
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const chosen = [search.workspace, search.state, search.verdict, search.tag].filter(
    (each) => each !== undefined,
  ).length;
  const across = (usual: number) => (isNarrow ? 'calc(50% - var(--mantine-spacing-xs) / 2)' : usual);
  return (
    <Group gap="xs" component="search">
      <TextInput
        ref={searchRef}
        size="xs"
        {...(isNarrow ? { flex: '1 1 45%', miw: 0 } : { w: 260 })}
        aria-label="Search projects by name, part or serial number"
        placeholder="Search name, part, serial"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          text === '' ? (
            <Kbd size="xs" className="key-hint">
              /
            </Kbd>
          ) : undefined
        }
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.currentTarget.value);
          send(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'Enter') {
            send.flush();
            event.currentTarget.blur();
          }
        }}
      />
      {isNarrow && (
        <Button
          size="xs"
          variant="default"
          flex="none"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
        </Button>
      )}
      {(isOpen || !isNarrow) && (
        <>
          <WorkspaceSelect
            size="xs"
            w={across(156)}
            aria-label="Workspace"
            placeholder="All workspaces"
            workspaces={workspaces}
            value={search.workspace ?? null}
            onChange={(workspace) => onChange({ workspace: workspace ?? undefined })}
            clearable
            clearButtonProps={{ 'aria-label': 'All workspaces' }}
          />
          <Select
            size="xs"
            w={across(140)}
            aria-label="State"
            placeholder="Active, archived"
            data={projectStates.map((state) => ({ value: state, label: stateLabels[state] ?? state }))}
            value={search.state ?? null}
            onChange={(state) => onChange({ state: projectStates.find((each) => each === state) })}
            clearable
            clearButtonProps={{ 'aria-label': 'Active and archived' }}
          />
          <Select
            size="xs"
            w={across(130)}
            aria-label="Verdict"
            placeholder="Any verdict"
            data={verdictFilters.map((verdict) => ({
              value: verdict,
              label: verdictLabels[verdict] ?? verdict,
            }))}
            value={search.verdict ?? null}
            onChange={(verdict) => onChange({ verdict: verdictFilters.find((each) => each === verdict) })}
            clearable
            clearButtonProps={{ 'aria-label': 'Any verdict' }}
          />
          <TagsInput
            size="xs"
            {...(isNarrow ? { w: across(150) } : { miw: 150, maw: 320 })}
            aria-label="Tags, all must match"
            placeholder={search.tag === undefined ? 'Tags' : undefined}
            data={tagSuggestions}
            value={search.tag ?? []}
            onChange={(tags) => onChange({ tag: tags.length === 0 ? undefined : tags })}
            clearable
            clearButtonProps={{ 'aria-label': 'Any tags' }}
          />
        </>
      )}
      {isFiltered(search) && (
        <ActionButton
          variant="subtle"
          onClick={() => onClear(withoutFilters(search))}
          style={{ flex: 'none' }}
        >
          Clear
        </ActionButton>
      )}
    </Group>
  );
}
