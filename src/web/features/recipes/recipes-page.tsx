import { Box, Button, Stack, Tabs } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { z } from 'zod';
import { getStep } from '#contract/analyses/steps.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { explain } from '#web/api/errors.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { SearchField, searchWords } from '#web/ui/search-field.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { recipesOptions } from './queries.ts';
import classes from './recipes.module.css';
import { ScanRecipes } from './scan-recipes.tsx';

export const RecipesSearch = z.object({
  tab: z.enum(['recipes', 'scans']).optional().catch(undefined),
  /** in the names of recipes or scan recipes, whichever the tab lists */
  search: z.unknown().transform(searchWords).optional(),
});
export type RecipesSearch = z.infer<typeof RecipesSearch>;

const columns: DataTableColumn<RecipeVersion>[] = [
  {
    key: 'name',
    title: 'Recipe',
    render: ({ recipePk, name }) => (
      <Link to="/recipes/$recipePk" params={{ recipePk }} className={classes.link}>
        {name}
      </Link>
    ),
  },
  { key: 'version', title: 'Version', width: 90, align: 'right', render: ({ version }) => version },
  {
    key: 'steps',
    title: 'Steps',
    render: ({ steps }) => steps.map(({ operation }) => getStep(operation).title).join(', '),
  },
  { key: 'gates', title: 'Gates', width: 80, align: 'right', render: ({ gates }) => gates.length },
  {
    key: 'createdAt',
    title: 'Released',
    width: 140,
    render: ({ status, releasedAt }) => (status === 'draft' ? 'Draft' : <RelativeTime value={releasedAt} />),
  },
];

const none: RecipeVersion[] = [];

interface RecipesPageProps {
  organizationId: string;
  /** why the caller can't write recipes; null = he can */
  writeReason: string | null;
  search: RecipesSearch;
  onSearch: (changes: RecipesSearch) => void;
  onOpen: (recipePk: string) => void;
}

/** Recipes of the organization in their newest versions, and the scan recipes beside them. */
export function RecipesPage({ organizationId, writeReason, search, onSearch, onOpen }: RecipesPageProps) {
  const { tab = 'recipes' } = search;
  const recipes = useQuery(recipesOptions(organizationId, search.search));
  const open = ({ recipePk }: RecipeVersion) => onOpen(recipePk);
  const cursor = useRowKeys({
    group: tab === 'recipes' ? 'Recipes' : null,
    rows: recipes.data?.results ?? none,
    onOpen: open,
  });
  const plus = <IconPlus size={14} aria-hidden />;
  const create =
    writeReason === null ? (
      <Button component={Link} to="/recipes/new" leftSection={plus}>
        New recipe
      </Button>
    ) : (
      <ActionButton reason={writeReason} leftSection={plus}>
        New recipe
      </ActionButton>
    );
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Recipes"
          aside={tab === 'recipes' ? recipes.data?.count : undefined}
          actions={tab === 'recipes' ? create : undefined}
        />
      </div>
      <Tabs
        value={tab}
        onChange={(next) => onSearch({ tab: next === 'scans' ? 'scans' : undefined })}
        keepMounted={false}
        style={{ flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' }}
      >
        <Tabs.List px="md">
          <Tabs.Tab value="recipes">Analysis recipes</Tabs.Tab>
          <Tabs.Tab value="scans">Scan recipes</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="recipes" className={classes.body}>
          <Stack gap="sm">
            {(search.search !== undefined || (recipes.data?.count ?? 0) > 8) && (
              <SearchField
                label="Search recipes"
                placeholder="Name of a recipe"
                value={search.search}
                onValue={(value) => onSearch({ search: value })}
              />
            )}
            {recipes.error && !recipes.data ? (
              <Box maw={720}>
                <ProblemAlert {...explain(recipes.error)} onRetry={() => void recipes.refetch()} />
              </Box>
            ) : (
              <DataTable
                caption="Recipes"
                columns={columns}
                rows={recipes.data?.results}
                keyOf={({ id }) => id}
                isStale={recipes.isPlaceholderData}
                cursor={cursor}
                onOpen={open}
                empty={
                  search.search ? (
                    <EmptyState
                      title="No recipe has this in its name"
                      action={
                        <Button variant="default" onClick={() => onSearch({})}>
                          Show all
                        </Button>
                      }
                    />
                  ) : (
                    <EmptyState
                      icon={<IconRoute size={32} stroke={1.3} aria-hidden />}
                      title="No recipes yet"
                      action={create}
                    >
                      A recipe is a fixed order of analyses with their parameters, and limits on what they
                      measure. It runs on one part or on a thousand and says which of them pass.
                    </EmptyState>
                  )
                }
              />
            )}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="scans" className={classes.body}>
          <ScanRecipes
            organizationId={organizationId}
            writeReason={writeReason}
            search={search.search}
            onSearch={(value) => onSearch({ tab: 'scans', search: value })}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
