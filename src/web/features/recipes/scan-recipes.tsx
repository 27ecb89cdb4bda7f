import { Group, Modal, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconRadioactive } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatGiven } from '#contract/base/format-number.ts';
import { type ScanRecipeRevision, ScanRecipeRevisionInput } from '#contract/shapes/recipe.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { Form } from '#web/ui/form.tsx';
import { List, type ListSearch } from '#web/ui/list-page.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';
import { useCreateRevision } from './mutations.ts';
import { recipesOptions, scanRecipesOptions } from './queries.ts';

const figures = [
  { key: 'voltageKv', label: 'Voltage', unit: 'kV' },
  { key: 'currentUa', label: 'Current', unit: 'µA' },
  { key: 'projections', label: 'Projections', unit: '' },
  { key: 'exposureMs', label: 'Exposure', unit: 'ms' },
] as const;
const lengths = [
  { key: 'sourceToDetectorMm', label: 'Source to detector' },
  { key: 'sourceToAxisMm', label: 'Source to axis' },
  { key: 'pixelSizeMm', label: 'Detector pixel size' },
] as const;

function describeAcquisition({ acquisition, geometry }: ScanRecipeRevision): string {
  const parts = figures.flatMap(({ key, label, unit }) => {
    const value = acquisition[key];
    if (typeof value !== 'number') return [];
    return [unit === '' ? `${formatGiven(value)} ${label.toLowerCase()}` : formatGiven(value, unit)];
  });
  if (acquisition.filter) parts.push(acquisition.filter);
  const distance = geometry['sourceToDetectorMm'];
  if (typeof distance === 'number') parts.push(`${formatGiven(distance, 'mm')} to the detector`);
  return parts.join(', ') || '–';
}

interface ScanRecipesProps {
  organizationId: string;
  /** why the user can't write scan recipes; null = they can */
  writeReason: string | null;
  /** text searched for in names and scanners */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

/** Number of scan recipes from which the search field is shown. */
const searchedFrom = 9;

/** How parts are scanned: every revision of every scan recipe, newest first. */
export function ScanRecipes({ organizationId, writeReason, search, onSearch }: ScanRecipesProps) {
  const revisions = useQuery(scanRecipesOptions(organizationId));
  const recipes = useQuery(recipesOptions(organizationId));
  const [editing, setEditing] = useState<ScanRecipeRevision | 'new' | null>(null);
  const all = revisions.data?.results ?? [];
  const found = all.filter(({ name, scanner }) => holdsWords([name, scanner], search));
  const columns: DataTableColumn<ScanRecipeRevision>[] = [
    { key: 'name', title: 'Scan recipe', render: ({ name }) => name },
    { key: 'revision', title: 'Revision', width: 90, align: 'right', render: ({ revision }) => revision },
    { key: 'scanner', title: 'Scanner', width: 160, render: ({ scanner }) => scanner || '–' },
    {
      key: 'acquisition',
      title: 'Acquisition',
      render: (row) => <span title={describeAcquisition(row)}>{describeAcquisition(row)}</span>,
    },
    {
      key: 'recipe',
      title: 'Then run',
      width: 180,
      room: 'some',
      render: ({ analysisRecipePk }) =>
        recipes.data?.results.find(({ recipePk }) => recipePk === analysisRecipePk)?.name ?? '–',
    },
    { ...createdColumn, room: 'some' },
    {
      ...actionsColumn,
      width: 100,
      render: (row) => (
        <ActionButton
          reason={writeReason}
          variant="subtle"
          size="compact-sm"
          aria-label={`Revise ${row.name}, revision ${row.revision}`}
          onClick={() => setEditing(row)}
        >
          Revise
        </ActionButton>
      ),
    },
  ];
  const create = (
    <ActionButton
      reason={writeReason}
      leftSection={<IconPlus size={14} aria-hidden />}
      onClick={() => setEditing('new')}
    >
      New scan recipe
    </ActionButton>
  );
  return (
    <Stack gap="sm">
      {all.length > 0 && (
        <Group justify="space-between">
          {search !== undefined || all.length >= searchedFrom ? (
            <SearchField
              label="Search scan recipes"
              placeholder="Name or scanner"
              value={search}
              onValue={onSearch}
            />
          ) : (
            <span />
          )}
          {create}
        </Group>
      )}
      <List
        caption="Scan recipes"
        isWhole
        list={{ ...revisions, data: revisions.data && { count: found.length, results: found } }}
        search={{ search }}
        onSearch={(next: ListSearch & { search?: string | undefined }) => onSearch(next.search)}
        columns={columns}
        onOpen={setEditing}
        empty={{
          icon: <IconRadioactive size={32} stroke={1.3} aria-hidden />,
          title: 'No scan recipes yet',
          action: create,
          children:
            'A scan recipe keeps how a part is scanned: voltage, current, filter, projections, geometry, and the recipe to run afterwards. Each revision stays as it was.',
        }}
      />
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? 'New scan recipe' : 'Revise the scan recipe'}
        size="lg"
      >
        {editing !== null && (
          <RevisionForm
            organizationId={organizationId}
            writeReason={writeReason}
            from={editing === 'new' ? null : editing}
            onDone={() => setEditing(null)}
          />
        )}
      </Modal>
    </Stack>
  );
}

const toNumber = (value: unknown): number | '' => (typeof value === 'number' ? value : '');

/** Shows the unit even while the field is empty. */
const unitSection = (unit: string) => ({
  rightSection: unit !== '' && (
    <Text size="xs" c="dimmed">
      {unit}
    </Text>
  ),
  rightSectionPointerEvents: 'none' as const,
});

function RevisionForm({
  organizationId,
  writeReason,
  from,
  onDone,
}: {
  organizationId: string;
  writeReason: string | null;
  from: ScanRecipeRevision | null;
  onDone: () => void;
}) {
  const recipes = useQuery(recipesOptions(organizationId));
  const create = useCreateRevision(organizationId);
  const withNumber = (before: Record<string, unknown>, key: string, value: string | number) => {
    const { [key]: _old, ...others } = before;
    return typeof value === 'number' ? { ...others, [key]: value } : others;
  };
  return (
    <Form
      initial={{
        name: from?.name ?? '',
        scanner: from?.scanner ?? '',
        acquisition: (from?.acquisition ?? {}) as Record<string, unknown>,
        geometry: (from?.geometry ?? {}) as Record<string, unknown>,
        analysisRecipePk: from?.analysisRecipePk ?? null,
      }}
      schema={ScanRecipeRevisionInput}
      toInput={({ analysisRecipePk, ...values }) => ({
        ...values,
        ...(from && { scanRecipePk: from.scanRecipePk }),
        ...(analysisRecipePk !== null && { analysisRecipePk }),
      })}
      mutation={create}
      onSubmit={(input) => create.mutate(input, { onSuccess: onDone })}
      submitLabel={from ? 'Create revision' : 'Create scan recipe'}
      reason={writeReason}
      onCancel={onDone}
      aside={
        <Text size="sm" c="dimmed">
          {from ? `Revision ${from.revision} stays as it is.` : ''}
        </Text>
      }
    >
      {({ values: { acquisition, geometry }, setFieldValue, getInputProps }) => (
        <SimpleGrid cols={2}>
          <TextInput label="Name" withAsterisk data-autofocus {...getInputProps('name')} />
          <TextInput label="Scanner" {...getInputProps('scanner')} />
          {figures.map(({ key, label, unit }) => (
            <NumberInput
              key={key}
              label={label}
              {...unitSection(unit)}
              min={0}
              hideControls
              allowDecimal={key !== 'projections'}
              value={toNumber(acquisition[key])}
              onChange={(value) => setFieldValue('acquisition', withNumber(acquisition, key, value))}
            />
          ))}
          <TextInput
            label="Filter"
            placeholder="0.5 mm Cu"
            value={typeof acquisition['filter'] === 'string' ? acquisition['filter'] : ''}
            onChange={(event) => {
              const filter = event.currentTarget.value;
              const { filter: _old, ...others } = acquisition;
              setFieldValue('acquisition', filter === '' ? others : { ...others, filter });
            }}
          />
          {lengths.map(({ key, label }) => (
            <NumberInput
              key={key}
              label={label}
              {...unitSection('mm')}
              min={0}
              hideControls
              value={toNumber(geometry[key])}
              onChange={(value) => setFieldValue('geometry', withNumber(geometry, key, value))}
            />
          ))}
          <Select
            label="Then run"
            placeholder="no recipe"
            data={(recipes.data?.results ?? []).map((recipe) => ({
              value: recipe.recipePk,
              label: recipe.name,
            }))}
            clearable
            searchable
            {...getInputProps('analysisRecipePk')}
          />
        </SimpleGrid>
      )}
    </Form>
  );
}
