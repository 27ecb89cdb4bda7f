/** Creates a project, or edits its fields. */
import { Modal, SimpleGrid, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Workspace } from '#contract/shapes/organization.ts';
import { type Project, ProjectInput, ProjectPatch } from '#contract/shapes/project.ts';
import { createProjectMutation, readProjectQueryKey } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { patchProject } from '#web/api/generated/sdk.gen.ts';
import type { ProjectPatch as Patch } from '#web/api/generated/types.gen.ts';
import { refresh } from '#web/api/refresh.ts';
import { Form } from '#web/ui/form.tsx';
import { readPartFromName } from './name-from-file.ts';
import { WorkspaceSelect } from './workspace-select.tsx';

type Values = {
  workspaceId: string;
  name: string;
  description: string;
  partNumber: string;
  serialNumber: string;
  lot: string;
  tags: string[];
};

/** Null for an empty field. */
export const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const writable = (values: Values) => ({
  name: values.name,
  description: values.description,
  partNumber: orNull(values.partNumber),
  serialNumber: orNull(values.serialNumber),
  lot: orNull(values.lot),
  tags: values.tags,
});

interface ProjectFormProps {
  /** the project to edit; null = create one */
  project: Project | null;
  workspaces: Workspace[];
  /** preselected workspace of a new project */
  workspaceId?: string;
  /** files for a new project; name and part number are derived from the first */
  files?: readonly File[];
  tagSuggestions: string[];
  onDone: (project: Project) => void;
  onClose: () => void;
}

/** Fills in name and part number from a dropped file; what the user typed stays. */
function FillFromFile({ form, fileName }: { form: UseFormReturnType<Values>; fileName: string }) {
  const before = useRef({ name: '', partNumber: '' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: fills in once per file
  useEffect(() => {
    const read = readPartFromName(fileName);
    for (const field of ['name', 'partNumber'] as const)
      if (['', before.current[field]].includes(form.values[field])) form.setFieldValue(field, read[field]);
    before.current = read;
  }, [fileName]);
  return null;
}

function ProjectForm({
  project,
  workspaces,
  workspaceId,
  files = [],
  tagSuggestions,
  onDone,
  onClose,
}: ProjectFormProps) {
  const queryClient = useQueryClient();
  const settle = {
    onSuccess: (saved: Project) => {
      queryClient.setQueryData(readProjectQueryKey({ path: { id: saved.id } }), saved);
      void refresh(queryClient, 'listProjects');
      onDone(saved);
    },
  };
  const create = useMutation({ ...createProjectMutation(), ...settle });
  const save = useMutation({
    mutationFn: async ({ id, body }: { id: string; body: Patch }) =>
      (await patchProject({ path: { id }, body })).data,
    ...settle,
  });
  const [first] = files;
  const shared = {
    initial: {
      workspaceId: project?.workspaceId ?? workspaceId ?? '',
      name: project?.name ?? '',
      description: project?.description ?? '',
      partNumber: project?.partNumber ?? '',
      serialNumber: project?.serialNumber ?? '',
      lot: project?.lot ?? '',
      tags: project?.tags ?? [],
    },
    words: { workspaceId: 'Choose a workspace', name: 'A name of 1 to 200 characters' },
    onCancel: onClose,
    children: (form: UseFormReturnType<Values>) => (
      <>
        {project === null && first && (
          <>
            <FillFromFile form={form} fileName={first.name} />
            <Text size="sm" c="dimmed">
              {files.length === 1 ? first.name : `${first.name} and ${files.length - 1} more`} will be
              uploaded into it.
            </Text>
          </>
        )}
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
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
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
      </>
    ),
  };
  return project === null ? (
    <Form
      {...shared}
      schema={ProjectInput}
      toInput={(values) => ({ ...writable(values), workspaceId: values.workspaceId })}
      mutation={create}
      onSubmit={(body) => create.mutate({ body })}
      submitLabel="Create project"
    />
  ) : (
    <Form
      {...shared}
      schema={ProjectPatch}
      toInput={writable}
      mutation={save}
      onSubmit={(body) => save.mutate({ id: project.id, body })}
      submitLabel="Save"
    />
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
