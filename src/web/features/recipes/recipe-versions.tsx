import { Button, Group, Select, Table, Text, Title } from '@mantine/core';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import classes from './recipes.module.css';
import { compareVersions } from './version-diff.ts';

/** All versions of a recipe; a press shows one. */
export function RecipeVersions({
  versions,
  shown,
  onShow,
}: {
  versions: RecipeVersion[];
  shown: RecipeVersion;
  onShow: (id: string) => void;
}) {
  const cursor = useRowKeys({ group: 'Versions', rows: versions, onOpen: ({ id }) => onShow(id) });
  return (
    <section aria-labelledby="recipe-versions">
      <Title order={2} size="h3" id="recipe-versions" mb="xs">
        Versions
      </Title>
      <Table aria-label="Versions of the recipe" highlightOnHover>
        <Table.Tbody>
          {versions.map(({ id, version, name, status, createdAt }, index) => (
            <Table.Tr
              key={id}
              aria-current={id === shown.id || undefined}
              data-cursor={index === cursor || undefined}
            >
              <Table.Td w={120}>
                <Button
                  variant={id === shown.id ? 'light' : 'subtle'}
                  size="compact-sm"
                  onClick={() => onShow(id)}
                >
                  Version {version}
                </Button>
              </Table.Td>
              <Table.Td>
                {name}
                {status === 'draft' && (
                  <Text span c="dimmed">
                    {' '}
                    draft
                  </Text>
                )}
              </Table.Td>
              <Table.Td w={130} ta="right">
                <RelativeTime value={createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** What the version that is shown does otherwise than another one. */
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
