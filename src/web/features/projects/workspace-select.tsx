import { Select, type SelectProps } from '@mantine/core';
import type { Workspace } from '#contract/shapes/organization.ts';

interface WorkspaceSelectProps extends Omit<SelectProps, 'data'> {
  workspaces: Workspace[];
  /** allows only workspaces that the user may write to */
  writable?: boolean;
}

/** Chooses a workspace; read-only ones stay visible and state the reason. */
export function WorkspaceSelect({ workspaces, writable = false, ...rest }: WorkspaceSelectProps) {
  return (
    <Select
      data={workspaces.map(({ id, name, role }) => {
        const isLocked = writable && role !== 'editor';
        const why = role === null ? 'you have no role in it' : 'you may only view it';
        return { value: id, label: isLocked ? `${name} (${why})` : name, disabled: isLocked };
      })}
      searchable={workspaces.length > 8}
      nothingFoundMessage="No workspace has this name"
      {...rest}
    />
  );
}
