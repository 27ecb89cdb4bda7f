import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Project } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
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
  const [destination, setDestination] = useState<string | null>(
    action === 'copy' ? project.workspaceId : null,
  );
  const [name, setName] = useState(action === 'copy' ? `${project.name} (copy)` : project.name);
  const [asked, setAsked] = useState(false);
  const choices = (workspaces.data?.results ?? []).filter(
    ({ id }) => action === 'copy' || id !== project.workspaceId,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (destination === null || name.trim() === '') return;
    running.mutate(
      { destinationWorkspaceId: destination, name: name.trim() === project.name ? undefined : name.trim() },
      {
        onSuccess: ({ data }) => {
          onClose();
          onDone(action, data);
        },
      },
    );
  };
  const failure = running.error ?? workspaces.error;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {failure && <ProblemAlert error={failure} />}
        <Select
          label="Workspace"
          placeholder={workspaces.isPending ? 'Loading…' : 'Choose a workspace'}
          data={choices.map(({ id, name: label }) => ({ value: id, label }))}
          value={destination}
          onChange={setDestination}
          error={asked && destination === null ? 'Choose a workspace' : null}
          searchable
          // Opened by the mere focus, it would lie over what is below.
          openOnFocus={false}
          data-autofocus={action === 'move' || undefined}
        />
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={asked && name.trim() === '' ? 'A project needs a name' : null}
          maxLength={200}
          data-autofocus={action === 'copy' || undefined}
        />
        <Text c="dimmed" size="sm">
          {action === 'copy'
            ? 'The copy shares the stored bytes of its data; nothing is stored twice.'
            : 'Data, results and bookmarks go with it.'}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={running.isPending}>
            {action === 'copy' ? 'Copy' : 'Move'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
