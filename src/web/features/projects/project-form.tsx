/** Create a project, or edit what can be written of one. */
import { Button, Group, Modal, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getHotkeyHandler } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Workspace } from '#contract/shapes/organization.ts';
import { type Project, ProjectInput, ProjectPatch } from '#contract/shapes/project.ts';
import { explain } from '../../api/errors.ts';
import { createProjectMutation, readProjectQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts';
import { patchProject } from '../../api/generated/sdk.gen.ts';
import { keyMatches } from '../../api/live-event-queries.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { WorkspaceSelect } from './workspace-select.tsx';

interface Values {
  workspaceId: string;
  name: string;
  description: string;
  partNumber: string;
  serialNumber: string;
  lot: string;
  tags: string[];
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const writable = (values: Values) => ({
  name: values.name,
  description: values.description,
  partNumber: orNull(values.partNumber),
  serialNumber: orNull(values.serialNumber),
  lot: orNull(values.lot),
  tags: values.tags,
});

const words: Partial<Record<keyof Values, string>> = {
  workspaceId: 'Choose the workspace that it goes into',
  name: 'A name of 1 to 200 characters',
};

/** First problem of each field by the contract's own schema. */
function check(schema: z.ZodType, candidate: unknown): Record<string, string> {
  const { error } = schema.safeParse(candidate);
  const errors: Record<string, string> = {};
  for (const { path, message } of error?.issues ?? []) {
    const field = String(path[0]);
    errors[field] ??= words[field as keyof Values] ?? message;
  }
  return errors;
}

interface ProjectFormProps {
  /** the one to edit; null = create */
  project: Project | null;
  workspaces: Workspace[];
  /** chosen at first for a new one */
  workspaceId?: string;
  tagSuggestions: string[];
  onDone: (project: Project) => void;
  onClose: () => void;
}

function ProjectForm({
  project,
  workspaces,
  workspaceId,
  tagSuggestions,
  onDone,
  onClose,
}: ProjectFormProps) {
  const queryClient = useQueryClient();
  const form = useForm<Values>({
    initialValues: {
      workspaceId: project?.workspaceId ?? workspaceId ?? '',
      name: project?.name ?? '',
      description: project?.description ?? '',
      partNumber: project?.partNumber ?? '',
      serialNumber: project?.serialNumber ?? '',
      lot: project?.lot ?? '',
      tags: project?.tags ?? [],
    },
    validateInputOnBlur: true,
    validate: (values) =>
      project === null
        ? check(ProjectInput, { ...writable(values), workspaceId: values.workspaceId })
        : check(ProjectPatch, writable(values)),
  });
  const settle = {
    onSuccess: (saved: Project) => {
      queryClient.setQueryData(readProjectQueryKey({ path: { id: saved.id } }), saved);
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => keyMatches(queryKey, { operation: 'listProjects' }),
      });
      onDone(saved);
    },
    onError: (error: unknown) => form.setErrors(explain(error).fields),
  };
  const create = useMutation({ ...createProjectMutation(), ...settle });
  const save = useMutation({
    mutationFn: async ({ id, values }: { id: string; values: Values }) =>
      (await patchProject({ path: { id }, body: writable(values) })).data,
    ...settle,
  });
  const submit = form.onSubmit((values) =>
    project === null
      ? create.mutate({ body: { ...writable(values), workspaceId: values.workspaceId } })
      : save.mutate({ id: project.id, values }),
  );
  const error = create.error ?? save.error;
  const problem = error === null ? null : explain(error);
  return (
    <form onSubmit={submit} onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])} noValidate>
      <Stack gap="sm">
        {problem !== null && Object.keys(problem.fields).length === 0 && <ProblemAlert {...problem} />}
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        {project === null && (
          <WorkspaceSelect
            label="Workspace"
            required
            writable
            workspaces={workspaces}
            {...form.getInputProps('workspaceId')}
          />
        )}
        <SimpleGrid cols={3} spacing="sm">
          <TextInput label="Part number" {...form.getInputProps('partNumber')} />
          <TextInput label="Serial number" {...form.getInputProps('serialNumber')} />
          <TextInput label="Lot" {...form.getInputProps('lot')} />
        </SimpleGrid>
        <TagsInput
          label="Tags"
          placeholder={form.values.tags.length === 0 ? 'Type and press Enter' : undefined}
          data={tagSuggestions}
          maxLength={64}
          {...form.getInputProps('tags')}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('description')}
        />
        <Group justify="flex-end" gap="xs" mt="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton loading={create.isPending || save.isPending}>
            {project === null ? 'Create project' : 'Save'}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

export function ProjectFormDialog({ opened, ...rest }: ProjectFormProps & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={rest.project === null ? 'New project' : `Edit “${rest.project.name}”`}
      size="lg"
    >
      <ProjectForm key={rest.project?.id ?? 'new'} {...rest} />
    </Modal>
  );
}
