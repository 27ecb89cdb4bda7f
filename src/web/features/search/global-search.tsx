/** Ctrl/⌘ K: pages, actions, and projects of the server by name, part or serial number. */
import { Kbd, Text, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight';
import {
  IconFileZip,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSearch,
  IconStack2,
  IconUserCircle,
  IconUsersGroup,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { explain } from '../../api/errors.ts';
import { listProjectsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import classes from './global-search.module.css';

interface GlobalSearchProps {
  organizationId: string;
  onSignOut: () => void;
  onToggleTheme: () => void;
  onShowKeys: () => void;
}

const found = 8;
const icon = (Icon: typeof IconSearch): ReactNode => <Icon size={16} stroke={1.6} aria-hidden />;

export function GlobalSearch({ organizationId, onSignOut, onToggleTheme, onShowKeys }: GlobalSearchProps) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [asked] = useDebouncedValue(query.trim(), 180);
  const projects = useQuery({
    ...listProjectsOptions({
      query: { organization: organizationId, search: asked, page_size: found, ordering: 'name' },
    }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const results = asked === '' || query.trim() === '' ? [] : (projects.data?.results ?? []);
  const count = projects.data?.count ?? 0;

  const fits = (words: string) => words.toLowerCase().includes(query.trim().toLowerCase());
  const places = [
    {
      id: 'projects',
      label: 'Projects',
      leftSection: icon(IconStack2),
      onClick: () => navigate({ to: '/projects' }),
    },
    {
      id: 'exports',
      label: 'Exports',
      leftSection: icon(IconFileZip),
      onClick: () => navigate({ to: '/exports' }),
    },
    {
      id: 'organization',
      label: 'Organization',
      description: 'Members, workspaces, analysis modules',
      leftSection: icon(IconUsersGroup),
      onClick: () => navigate({ to: '/organization' }),
    },
    {
      id: 'account',
      label: 'Account and appearance',
      description: 'Password, access tokens, theme',
      leftSection: icon(IconUserCircle),
      onClick: () => navigate({ to: '/account' }),
    },
  ].filter(({ label, description }) => fits(`${label} ${description ?? ''}`));
  const actions = [
    { id: 'keys', label: 'Show the keys of this page', leftSection: icon(IconKeyboard), onClick: onShowKeys },
    {
      id: 'theme',
      label: 'Switch between light and dark',
      leftSection: icon(IconMoon),
      onClick: onToggleTheme,
    },
    { id: 'sign-out', label: 'Sign out', leftSection: icon(IconLogout), onClick: onSignOut },
  ].filter(({ label }) => fits(label));
  const more =
    count > results.length && results.length > 0
      ? [
          {
            id: 'all-projects',
            label: `All ${count} projects that match`,
            leftSection: icon(IconSearch),
            onClick: () => navigate({ to: '/projects', search: { search: query.trim() } }),
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
    { group: 'Pages', actions: places },
    { group: 'Actions', actions },
  ].filter((group) => group.actions.length > 0);

  return (
    <>
      <UnstyledButton
        className={classes.open}
        onClick={spotlight.open}
        aria-label="Search pages, projects and actions"
      >
        <IconSearch size={14} aria-hidden />
        <Text span size="sm" c="dimmed">
          Search
        </Text>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <Spotlight
        actions={groups}
        query={query}
        onQueryChange={setQuery}
        filter={(_, all) => all}
        attributes={{ content: { 'aria-label': 'Search' } }}
        overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
        shortcut="mod + K"
        nothingFound={projects.isError ? explain(projects.error).detail : 'Nothing has this name'}
        scrollable
        maxHeight="60vh"
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
