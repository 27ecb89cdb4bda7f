import { Group, Select, Table, Text, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { versionsOptions } from './queries.ts';
import classes from './recipes.module.css';
import { compareVersions } from './version-diff.ts';

const listColumns = (onShow: (id: string) => void): DataTableColumn<RecipeVersion>[] => [
  {
    key: 'version',
    title: 'Version',
    width: 120,
    render: ({ id, version }) => (
      <UnstyledButton className={linkClass} fz="inherit" onClick={() => onShow(id)}>
        Version {version}
      </UnstyledButton>
    ),
  },
  {
    key: 'name',
    title: 'Name',
    render: ({ name, status }) => (
      <>
        {name}
        {status === 'draft' && (
          <Text span inherit c="dimmed">
            {' '}
            draft
          </Text>
        )}
      </>
    ),
  },
  { ...createdColumn, align: 'right' },
];

interface RecipeVersionsProps {
  organizationId: string;
  shown: RecipeVersion;
  onShow: (id: string) => void;
}

/** All versions of a recipe; clicking one shows it. */
export function RecipeVersions({ organizationId, shown, onShow }: RecipeVersionsProps) {
  const list = useQuery(versionsOptions(organizationId, shown.recipePk));
  return (
    <section aria-labelledby="recipe-versions">
      <Title order={2} size="h3" id="recipe-versions" mb="xs">
        Versions
      </Title>
      <List
        caption="Versions of the recipe"
        list={list}
        columns={listColumns(onShow)}
        isMarked={({ id }) => id === shown.id}
        onOpen={({ id }) => onShow(id)}
        isNarrow
        isWhole
        empty={{ title: 'No versions yet' }}
      />
    </section>
  );
}

/** Differences of the version shown from another one. */
export function VersionDiff({
  versions,
  shown,
  against,
  onAgainst,
}: {
  versions: RecipeVersion[];
  shown: RecipeVersion;
  against: RecipeVersion | undefined;
  onAgainst: (id: string) => void;
}) {
  const lines = against ? compareVersions(against, shown) : [];
  return (
    <section aria-labelledby="recipe-diff">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="recipe-diff">
          What changed
        </Title>
        <Select
          size="xs"
          aria-label="Compared with"
          data={versions
            .filter(({ id }) => id !== shown.id)
            .map(({ id, version }) => ({ value: id, label: `against version ${version}` }))}
          value={against?.id ?? null}
          placeholder="against a version"
          onChange={(id) => id && onAgainst(id)}
          allowDeselect={false}
          w={180}
        />
      </Group>
      {against === undefined ? (
        <Text c="dimmed">This is the first version; choose another one to compare with.</Text>
      ) : lines.length === 0 ? (
        <Text c="dimmed">Both versions do the same.</Text>
      ) : (
        <Table aria-label={`From version ${against.version} to version ${shown.version}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="22%">Where</Table.Th>
              <Table.Th w="20%">What</Table.Th>
              <Table.Th>Version {against.version}</Table.Th>
              <Table.Th>Version {shown.version}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ subject, field, before, after }) => (
              <Table.Tr key={`${subject} ${field}`}>
                <Table.Td>{subject}</Table.Td>
                <Table.Td>{field}</Table.Td>
                <Table.Td className={before === null ? undefined : classes.removed}>{before ?? '–'}</Table.Td>
                <Table.Td className={after === null ? undefined : classes.added}>{after ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
