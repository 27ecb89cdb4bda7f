import {
  IconBell,
  IconBookmark,
  IconFileZip,
  IconProgressCheck,
  IconRoute,
  type IconSearch,
  IconStack2,
  IconStack3,
  IconTrash,
  IconUserCircle,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A page that the palette links to. */
interface Place {
  id: string;
  label: string;
  description?: string;
  /** further search terms: what the user can do there */
  words?: string;
  leftSection: ReactNode;
  onClick: () => unknown;
}

export const icon = (Icon: typeof IconSearch): ReactNode => <Icon size={16} stroke={1.6} aria-hidden />;

/** The pages of the dashboard. */
export function usePlaces(): Place[] {
  const navigate = useNavigate();
  return [
    {
      id: 'projects',
      label: 'Projects',
      leftSection: icon(IconStack2),
      onClick: () => navigate({ to: '/projects' }),
    },
    {
      id: 'recipes',
      label: 'Recipes',
      leftSection: icon(IconRoute),
      onClick: () => navigate({ to: '/recipes' }),
    },
    {
      id: 'scan recipes',
      label: 'Scan recipes',
      leftSection: icon(IconRoute),
      onClick: () => navigate({ to: '/recipes', search: { tab: 'scans' } }),
    },
    {
      id: 'runs',
      label: 'Runs',
      words: 'verdicts gates',
      description: 'Runs of recipes on all projects, with their verdicts',
      leftSection: icon(IconProgressCheck),
      onClick: () => navigate({ to: '/runs' }),
    },
    {
      id: 'bulk',
      label: 'Bulk requests',
      description: 'Changes to many projects, with undo',
      leftSection: icon(IconStack3),
      onClick: () => navigate({ to: '/bulk' }),
    },
    {
      id: 'exports',
      label: 'Exports',
      leftSection: icon(IconFileZip),
      onClick: () => navigate({ to: '/exports' }),
    },
    {
      id: 'bookmarks',
      label: 'Bookmarks',
      leftSection: icon(IconBookmark),
      onClick: () => navigate({ to: '/bookmarks' }),
    },
    ...(
      [
        ['members', 'Members and invitations', 'invite add remove a member roles manager'],
        ['workspaces', 'Workspaces', 'new rename remove a workspace storage'],
        ['modules', 'Analysis modules', 'switch on off'],
        ['recipes', 'Release of recipes', 'who may release a recipe'],
        ['audit', 'Audit log', 'who did what'],
      ] as const
    ).map(([tab, label, words]) => ({
      id: `organization ${tab}`,
      label,
      words,
      description: 'Organization',
      leftSection: icon(IconUsersGroup),
      onClick: () => navigate({ to: '/organization', search: { tab } }),
    })),
    {
      id: 'trash',
      label: 'Trash',
      description: 'Deleted projects',
      leftSection: icon(IconTrash),
      onClick: () => navigate({ to: '/projects', search: { state: 'deleted' } }),
    },
    {
      id: 'notifications',
      label: 'Notifications',
      description: 'What finished, failed or was shared',
      leftSection: icon(IconBell),
      onClick: () => navigate({ to: '/notifications' }),
    },
    {
      id: 'account',
      label: 'Account and appearance',
      description: 'Password, access tokens, theme',
      leftSection: icon(IconUserCircle),
      onClick: () => navigate({ to: '/account' }),
    },
  ];
}
