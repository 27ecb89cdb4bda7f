/** Ctrl/⌘ K: pages, actions, and a search on the service for projects and recipes by name, part or serial number. */
import { Kbd, Text, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight';
import {
  IconBolt,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlus,
  IconRoute,
  IconSearch,
  IconStack2,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { explain } from '#web/api/errors.ts';
import {
  listProjectsOptions,
  listRecipeVersionsOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { type Command, useAllCommands } from '#web/ui/commands.ts';
import classes from './global-search.module.css';
import { icon, usePlaces } from './use-places.tsx';

interface GlobalSearchProps {
  organizationId: string;
  onSignOut: () => void;
  onToggleTheme: () => void;
  onShowKeys: () => void;
}

const found = 8;
/** Keys for moving around the page, which the palette does not offer. */
const movingKeys = ['j', 'k', 'x', 'Enter', '/', 'Escape'];
/** Commands of the open page, without those of its table rows and dialogs. */
const isOfPage = ({ group, keys, button }: Command): boolean =>
  keys === undefined
    ? button === undefined ||
      (button.current?.closest('main') != null &&
        button.current.closest('tbody') === null &&
        button.current.checkVisibility())
    : group !== undefined && !movingKeys.includes(keys);

/**
 * Selects the first result again when results from the service arrive. The palette itself selects the first one only
 * while the user types. `shown`: the results listed; null = no search.
 */
function useFirstSelected(shown: string | null): void {
  useEffect(() => {
    if (shown === null) return;
    const listed = [...document.querySelectorAll('.mantine-Spotlight-actionsList [data-action]')];
    if (!listed.some((action) => action.hasAttribute('data-selected')))
      listed[0]?.setAttribute('data-selected', 'true');
  }, [shown]);
}

/** Searches on the service, debounced. */
function useFound(organizationId: string, typed: string, fits: (words: string) => boolean) {
  const [settled] = useDebouncedValue(typed, 180);
  const projects = useQuery({
    ...listProjectsOptions({
      query: { organization: organizationId, search: settled, page_size: found, ordering: 'name' },
    }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const recipes = useQuery({
    ...listRecipeVersionsOptions({
      path: { organization_id: organizationId },
      query: { search: settled, isNewest: true, page_size: found },
    }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === typed && !projects.isPlaceholderData;
  // Results of the previous text stay while the next search runs, but only those that match: Enter opens the first.
  const results =
    settled === '' || typed === ''
      ? []
      : (projects.data?.results ?? []).filter(
          ({ name, partNumber, serialNumber }) =>
            isCurrent || fits(`${name} ${partNumber ?? ''} ${serialNumber ?? ''}`),
        );
  const foundRecipes =
    settled === '' || typed === '' ? [] : (recipes.data?.results ?? []).filter(({ name }) => fits(name));
  const count = isCurrent ? (projects.data?.count ?? 0) : 0;
  return { projects, results, foundRecipes, count };
}

/**
 * Matching commands of the page. The many commands without a key are listed only once the user types part of their
 * name.
 */
function listCommands(commands: readonly Command[], fits: (words: string) => boolean, isTyped: boolean) {
  const offered = commands.filter(
    (command) => isOfPage(command) && fits(command.label) && (isTyped || command.keys !== undefined),
  );
  // Each name is listed once.
  return [...Map.groupBy(offered, ({ label }) => label.toLowerCase()).values()]
    .flatMap((same) => same.find(({ keys }) => keys !== undefined) ?? same.slice(0, 1))
    .map(({ label, keys, reason = null, run }) => ({
      id: `page ${label}`,
      label,
      rightSection: keys !== undefined && <Kbd size="xs">{keys}</Kbd>,
      leftSection: icon(keys === undefined ? IconBolt : IconKeyboard),
      // Runs after the palette has closed, so that an opened dialog can take the focus.
      ...(reason === null
        ? { onClick: () => void setTimeout(run, 0) }
        : { description: reason, 'aria-disabled': true, closeSpotlightOnTrigger: false }),
    }));
}

export function GlobalSearch({ organizationId, onSignOut, onToggleTheme, onShowKeys }: GlobalSearchProps) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const commands = useAllCommands(isOpen);
  const [query, setQuery] = useState('');
  const typed = query.trim();
  const fits = (words: string) => words.toLowerCase().includes(typed.toLowerCase());
  const { projects, results, foundRecipes, count } = useFound(organizationId, typed, fits);

  const places = usePlaces().flatMap(({ words = '', ...place }) =>
    fits(`${place.label} ${place.description ?? ''} ${words}`) ? [place] : [],
  );
  const actions = [
    {
      id: 'new-project',
      label: 'New project',
      leftSection: icon(IconPlus),
      onClick: () => navigate({ to: '/projects', search: { new: true } }),
    },
    {
      id: 'new-recipe',
      label: 'New recipe',
      leftSection: icon(IconPlus),
      onClick: () => navigate({ to: '/recipes/new' }),
    },
    { id: 'keys', label: 'Show shortcuts', leftSection: icon(IconKeyboard), onClick: onShowKeys },
    {
      id: 'theme',
      label: 'Switch between light and dark',
      leftSection: icon(IconMoon),
      onClick: onToggleTheme,
    },
    { id: 'sign-out', label: 'Sign out', leftSection: icon(IconLogout), onClick: onSignOut },
  ].filter(({ label }) => fits(label));
  const here = listCommands(commands, fits, typed !== '');
  const more =
    count > results.length && results.length > 0
      ? [
          {
            id: 'all-projects',
            label: `All ${count} projects that match`,
            leftSection: icon(IconSearch),
            onClick: () => navigate({ to: '/projects', search: { search: typed } }),
          },
        ]
      : [];
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Projects',
      actions: [
        ...results.map(({ id, name, partNumber, serialNumber }) => ({
          id,
          label: name,
          description: [partNumber, serialNumber].filter((part) => part !== null).join(' · ') || undefined,
          leftSection: icon(IconStack2),
          onClick: () => navigate({ to: '/projects/$projectId', params: { projectId: id } }),
        })),
        ...more,
      ],
    },
    {
      group: 'Recipes',
      actions: foundRecipes.map(({ recipePk, name, version }) => ({
        id: recipePk,
        label: name,
        description: `version ${version}`,
        leftSection: icon(IconRoute),
        onClick: () => navigate({ to: '/recipes/$recipePk', params: { recipePk } }),
      })),
    },
    { group: 'On this page', actions: here },
    { group: 'Pages', actions: places },
    { group: 'Actions', actions },
  ].filter((group) => group.actions.length > 0);
  const all = groups.flatMap(({ actions: ofGroup }) => ofGroup.map(({ id }) => id)).join(' ');
  useFirstSelected(typed !== '' && all !== '' ? all : null);

  return (
    <>
      <UnstyledButton
        className={classes.open}
        onClick={spotlight.open}
        aria-label="Search pages, projects and actions"
      >
        <IconSearch size={14} aria-hidden />
        <Text span size="sm" c="dimmed" visibleFrom="xs">
          Search
        </Text>
        <Kbd size="xs" className="key-hint">
          Ctrl K
        </Kbd>
      </UnstyledButton>
      <Spotlight
        actions={groups}
        onSpotlightOpen={() => setOpen(true)}
        onSpotlightClose={() => setOpen(false)}
        query={query}
        onQueryChange={setQuery}
        filter={(_, all) => all}
        attributes={{ content: { 'aria-label': 'Search' } }}
        overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
        shortcut="mod + K"
        // Also works inside text fields, where the shortcut has no other meaning.
        tagsToIgnore={[]}
        nothingFound={projects.isError ? explain(projects.error).detail : 'No results'}
        scrollable
        maxHeight="60vh"
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Found' } }}
        transitionProps={{ duration: 120 }}
        searchProps={{
          placeholder: 'Search projects, pages and actions',
          leftSection: icon(IconSearch),
          'aria-label': 'Search projects, pages and actions',
        }}
      />
    </>
  );
}
