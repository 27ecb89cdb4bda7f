import {
  IconBookmark,
  IconFileZip,
  IconHelp,
  IconProgressCheck,
  IconRoute,
  IconStack2,
  IconStack3,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useCommands, useKeyHelp } from '../commands.ts';
import { RailButton, RailLink } from './app-frame.tsx';

/** The links of the sidebar, and their keys. */
export function MainPlaces() {
  const navigate = useNavigate();
  useCommands([
    { keys: 'g p', label: 'Go to the projects', run: () => navigate({ to: '/projects' }) },
    { keys: 'g r', label: 'Go to the recipes', run: () => navigate({ to: '/recipes' }) },
    { keys: 'g n', label: 'Go to the runs', run: () => navigate({ to: '/runs' }) },
    { keys: 'g b', label: 'Go to the bookmarks', run: () => navigate({ to: '/bookmarks' }) },
    { keys: 'g k', label: 'Go to the bulk requests', run: () => navigate({ to: '/bulk' }) },
    { keys: 'g e', label: 'Go to the exports', run: () => navigate({ to: '/exports' }) },
    { keys: 'g o', label: 'Go to the organization', run: () => navigate({ to: '/organization' }) },
    { keys: 'g a', label: 'Go to your account', run: () => navigate({ to: '/account' }) },
  ]);
  return (
    <>
      <RailLink to="/projects" icon={IconStack2} label="Projects" />
      <RailLink to="/recipes" icon={IconRoute} label="Recipes" />
      <RailLink to="/runs" icon={IconProgressCheck} label="Runs" />
      <RailLink to="/bulk" icon={IconStack3} label="Bulk requests" />
      <RailLink to="/exports" icon={IconFileZip} label="Exports" />
      <RailLink to="/bookmarks" icon={IconBookmark} label="Bookmarks" />
      <RailLink to="/organization" icon={IconUsersGroup} label="Organization" />
    </>
  );
}

export function HelpButton() {
  const openHelp = useKeyHelp();
  return <RailButton icon={IconHelp} label="Shortcuts" onClick={openHelp} />;
}
