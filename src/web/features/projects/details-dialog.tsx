import { Modal, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { ProjectPatch } from '#contract/shapes/project.ts';
import type { ProjectPatch as Patch, Project } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
import { orNull } from './project-form.tsx';

interface DetailsDialogProps {
  project: Project;
  opened: boolean;
  onClose: () => void;
  onSave: (patch: Patch) => void;
}

/** Edits part number, serial number, lot and description. Sends only changed fields. */
export function DetailsDialog({ project, opened, onClose, onSave }: DetailsDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Details of the project">
      <DetailsForm project={project} onClose={onClose} onSave={onSave} />
    </Modal>
  );
}

function DetailsForm({ project, onClose, onSave }: Omit<DetailsDialogProps, 'opened'>) {
  const { partNumber, serialNumber, lot, description } = project;
  const before = { partNumber, serialNumber, lot, description };
  return (
    <Form
      initial={{
        partNumber: partNumber ?? '',
        serialNumber: serialNumber ?? '',
        lot: lot ?? '',
        description,
      }}
      schema={ProjectPatch}
      toInput={(values): Patch => ({
        partNumber: orNull(values.partNumber),
        serialNumber: orNull(values.serialNumber),
        lot: orNull(values.lot),
        description: values.description,
      })}
      mutation={{ error: null, isPending: false }}
      onSubmit={(input) => {
        const changed = Object.entries(input).filter(
          ([key, value]) => value !== before[key as keyof typeof before],
        );
        if (changed.length > 0) onSave(Object.fromEntries(changed));
        onClose();
      }}
      submitLabel="Save details"
      onCancel={onClose}
    >
      {(form) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
            <TextInput label="Part number" data-autofocus {...form.getInputProps('partNumber')} />
            <TextInput label="Serial number" {...form.getInputProps('serialNumber')} />
            <TextInput label="Lot" {...form.getInputProps('lot')} />
          </SimpleGrid>
          <Textarea
            label="Description"
            autosize
            minRows={3}
            maxRows={12}
            {...form.getInputProps('description')}
          />
        </>
      )}
    </Form>
  );
}
