import { Button, Stack, Tabs } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getStep } from '#contract/analyses/steps.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import pageClasses from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { SearchField } from '#web/ui/search-field.tsx';
import { type RecipesSearch, recipePageOptions } from './queries.ts';
import classes from './recipes.module.css';
import { ScanRecipes } from './scan-recipes.tsx';

const columns: DataTableColumn<RecipeVersion>[] = [
  {
    key: 'name',
    title: 'Recipe',
    render: ({ recipePk, name }) => (
      <Link to="/recipes/$recipePk" params={{ recipePk }} className={linkClass}>
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

interface RecipesPageProps {
  organizationId: string;
  /** why the user can't write recipes; null = they can */
  writeReason: string | null;
  search: RecipesSearch;
  onSearch: (changes: RecipesSearch) => void;
  onOpen: (recipePk: string) => void;
}

/** The newest versions of the organization's recipes, and in a second tab the scan recipes. */
export function RecipesPage({ organizationId, writeReason, search, onSearch, onOpen }: RecipesPageProps) {
  const { tab = 'recipes', ...question } = search;
  const recipes = useQuery(recipePageOptions(organizationId, question));
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
    <Stack gap={0} className={pageClasses.page}>
      <div className={pageClasses.head}>
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
                placeholder="Recipe name"
                value={search.search}
                onValue={(value) => onSearch({ search: value })}
              />
            )}
            <List
              caption="Recipes"
              list={recipes}
              search={question}
              onSearch={onSearch}
              columns={columns}
              onOpen={({ recipePk }) => onOpen(recipePk)}
              empty={{
                icon: <IconRoute size={32} stroke={1.3} aria-hidden />,
                title: 'No recipes yet',
                action: create,
                children:
                  'A recipe is a sequence of analyses with their parameters, and limits on what they measure. It runs on one part or on a thousand and says which ones pass.',
              }}
            />
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
