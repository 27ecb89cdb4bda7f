import { useEffect } from 'react';
import type { Workspace } from '#contract/shapes/organization.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { DestinationDialog } from './destination-dialog.tsx';
import { rememberWorkspace } from './last-workspace.ts';
import { ProjectFormDialog } from './project-form.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import type { useProjectDialogs } from './use-project-dialogs.ts';

interface ProjectDialogsProps {
  dialogs: ReturnType<typeof useProjectDialogs>;
  organizationId: string;
  workspaces: Workspace[];
  /** where a new project goes unless another is chosen */
  workspaceId: string | undefined;
  /** that were dropped on the list: the first data of a new project */
  files: readonly File[];
  tagSuggestions: string[];
  /** the dropped files go into this project, or nowhere */
  onDropTaken: (projectId: string | null) => void;
  onCreated: (projectId: string) => void;
}

/** What the list of projects asks before it does something. */
export function ProjectDialogs(props: ProjectDialogsProps) {
  const { dialogs, organizationId, workspaces, workspaceId, files, tagSuggestions } = props;
  const { onDropTaken, onCreated } = props;
  const { create } = dialogs;
  const isDropped = files.length > 0;
  useEffect(() => {
    if (isDropped) create();
  }, [isDropped, create]);
  return (
    <>
      <ProjectFormDialog
        opened={dialogs.form !== null}
        project={dialogs.form?.project ?? null}
        workspaces={workspaces}
        workspaceId={workspaceId}
        files={files}
        tagSuggestions={tagSuggestions}
        onClose={() => {
          dialogs.close();
          onDropTaken(null);
        }}
        onDone={(saved) => {
          const isNew = dialogs.form?.project == null;
          dialogs.close();
          if (!isNew) return;
          rememberWorkspace(saved.workspaceId);
          onDropTaken(saved.id);
          onCreated(saved.id);
        }}
      />
      <DestinationDialog
        question={dialogs.destination}
        workspaces={workspaces}
        onChoose={dialogs.onDestination}
        onClose={dialogs.close}
      />
      <BulkDialog
        question={dialogs.bulk}
        organizationId={organizationId}
        projectIds={dialogs.projectIds}
        onConfirm={dialogs.onBulk}
        onClose={dialogs.close}
      />
      <TagsDialog question={dialogs.tags} onChoose={dialogs.onTags} onClose={dialogs.close} />
    </>
  );
}
