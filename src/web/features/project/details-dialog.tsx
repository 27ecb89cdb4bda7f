import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { Project, ProjectPatch } from '#web/api/generated/types.gen.ts';

interface DetailsDialogProps {
  project: Project;
  opened: boolean;
  onClose: () => void;
  onSave: (patch: ProjectPatch) => void;
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Part, serial number, lot and description. Sends only what was changed. */
export function DetailsDialog({ project, opened, onClose, onSave }: DetailsDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Details of the project">
      <DetailsForm project={project} onClose={onClose} onSave={onSave} />
    </Modal>
  );
}

function DetailsForm({ project, onClose, onSave }: Omit<DetailsDialogProps, 'opened'>) {
  const form = useRef<HTMLFormElement>(null);
  const [partNumber, setPartNumber] = useState(project.partNumber ?? '');
  const [serialNumber, setSerialNumber] = useState(project.serialNumber ?? '');
  const [lot, setLot] = useState(project.lot ?? '');
  const [description, setDescription] = useState(project.description);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const patch: ProjectPatch = {};
    if (orNull(partNumber) !== project.partNumber) patch.partNumber = orNull(partNumber);
    if (orNull(serialNumber) !== project.serialNumber) patch.serialNumber = orNull(serialNumber);
    if (orNull(lot) !== project.lot) patch.lot = orNull(lot);
    if (description !== project.description) patch.description = description;
    if (Object.keys(patch).length > 0) onSave(patch);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} onKeyDown={onKeyDown}>
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label="Part number"
            value={partNumber}
            onChange={(event) => setPartNumber(event.currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
          <TextInput
            label="Serial number"
            value={serialNumber}
            onChange={(event) => setSerialNumber(event.currentTarget.value)}
            maxLength={200}
          />
          <TextInput
            label="Lot"
            value={lot}
            onChange={(event) => setLot(event.currentTarget.value)}
            maxLength={200}
          />
        </Group>
        <Textarea
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={20_000}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Save details</Button>
        </Group>
      </Stack>
    </form>
  );
}
