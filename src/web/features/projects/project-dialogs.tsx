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
  /** preselected workspace of a new project */
  workspaceId: string | undefined;
  /** files dropped on the list, to be uploaded to a new project */
  files: readonly File[];
  tagSuggestions: string[];
  /** the project that receives the dropped files; null = discard them */
  onDropTaken: (projectId: string | null) => void;
  onCreated: (projectId: string) => void;
}

/** The dialogs of the project list. */
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
