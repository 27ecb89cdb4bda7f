import { Modal, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Destination } from '#contract/shapes/project.ts';
import type { Project } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
import { useCopyProject, useMoveProject } from './mutations.ts';
import { workspacesOptions } from './queries.ts';

interface DestinationDialogProps {
  project: Project;
  /** null = closed */
  action: 'copy' | 'move' | null;
  onClose: () => void;
  onDone: (action: 'copy' | 'move', project: Project) => void;
}

/** Where to copy or move the project. Only workspaces in which the caller may write can be chosen. */
export function DestinationDialog({ project, action, onClose, onDone }: DestinationDialogProps) {
  return (
    <Modal
      opened={action !== null}
      onClose={onClose}
      title={action === 'copy' ? 'Copy the project' : 'Move the project'}
    >
      {action !== null && (
        <DestinationForm project={project} action={action} onClose={onClose} onDone={onDone} />
      )}
    </Modal>
  );
}

function DestinationForm({
  project,
  action,
  onClose,
  onDone,
}: DestinationDialogProps & { action: 'copy' | 'move' }) {
  const workspaces = useQuery(workspacesOptions(project.organizationId));
  const copying = useCopyProject(project.id);
  const moving = useMoveProject(project.id);
  const running = action === 'copy' ? copying : moving;
  const choices = (workspaces.data?.results ?? []).filter(
    ({ id }) => action === 'copy' || id !== project.workspaceId,
  );
  const isCopy = action === 'copy';
  return (
    <Form
      initial={{
        destinationWorkspaceId: isCopy ? project.workspaceId : '',
        name: isCopy ? `${project.name} (copy)` : project.name,
      }}
      schema={Destination}
      toInput={({ name, ...rest }) => ({ ...rest, name: name === project.name ? undefined : name })}
      words={{ destinationWorkspaceId: 'Choose a workspace', name: 'A project needs a name' }}
      mutation={{ error: running.error ?? workspaces.error, isPending: running.isPending }}
      onSubmit={(body) =>
        running.mutate(body, {
          onSuccess: ({ data }) => {
            onClose();
            onDone(action, data);
          },
        })
      }
      submitLabel={isCopy ? 'Copy' : 'Move'}
      onCancel={onClose}
    >
      {(form) => (
        <>
          <Select
            label="Workspace"
            placeholder={workspaces.isPending ? 'Loading…' : 'Choose a workspace'}
            data={choices.map(({ id, name: label }) => ({ value: id, label }))}
            searchable
            // Opened by the mere focus, it would lie over what is below.
            openOnFocus={false}
            data-autofocus={!isCopy || undefined}
            {...form.getInputProps('destinationWorkspaceId')}
          />
          <TextInput label="Name" data-autofocus={isCopy || undefined} {...form.getInputProps('name')} />
          <Text c="dimmed" size="sm">
            {isCopy
              ? 'The copy shares the stored bytes of its data; nothing is stored twice.'
              : 'Data, results and bookmarks go with it.'}
          </Text>
        </>
      )}
    </Form>
  );
}
