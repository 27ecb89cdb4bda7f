import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Workspace } from '#contract/shapes/organization.ts';
import { BulkPreview, type BulkProposal } from './bulk-preview.tsx';
import { WorkspaceSelect } from './workspace-select.tsx';

export interface DestinationQuestion {
  what: 'copy' | 'move';
  /** `“Housing 0412”` or `12 projects` */
  subject: string;
  /** offered for a single copy */
  name: string | null;
  /** where it is now, for a single one: no place to move to */
  from: string | null;
  /** for many: says what will happen to how many */
  preview?: BulkProposal | null;
}

interface DestinationDialogProps {
  question: DestinationQuestion | null;
  workspaces: Workspace[];
  onChoose: (workspaceId: string, name: string | undefined) => void;
  onClose: () => void;
}

type FormProps = DestinationDialogProps & { question: DestinationQuestion };

function DestinationForm({ question, workspaces, onChoose, onClose }: FormProps) {
  const isMove = question.what === 'move';
  const places = workspaces.filter(({ id }) => !isMove || id !== question.from);
  const writable = places.filter(({ role }) => role === 'editor');
  const likely =
    writable.find(({ id }) => id === question.from) ?? (writable.length === 1 ? writable[0] : null);
  const [workspace, setWorkspace] = useState<string | null>(likely?.id ?? null);
  const [name, setName] = useState(question.name === null ? '' : `${question.name} (copy)`);
  const canStart = workspace !== null && question.preview?.projectIds !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canStart) onChoose(workspace, question.name === null ? undefined : name.trim() || undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <WorkspaceSelect
          label={isMove ? 'Move to' : 'Copy to'}
          placeholder="Choose a workspace"
          description={
            writable.length === 0
              ? 'There is no other workspace that you may edit. A manager can give you one.'
              : isMove
                ? undefined
                : 'Stored data is shared, so a copy takes no space.'
          }
          workspaces={places}
          writable
          value={workspace}
          onChange={setWorkspace}
          // Opened by the mere focus, it would lie over what is below.
          openOnFocus={false}
          data-autofocus={likely === null || undefined}
        />
        {question.name !== null && (
          <TextInput
            label="Name of the copy"
            value={name}
            maxLength={200}
            data-autofocus={likely !== null || undefined}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        {question.preview && <BulkPreview proposal={question.preview} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!canStart}>
            {isMove ? 'Move' : 'Copy'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks where to copy or move to. */
export function DestinationDialog(props: DestinationDialogProps) {
  const { question, onClose } = props;
  return (
    <Modal
      opened={question !== null}
      onClose={onClose}
      title={question === null ? '' : `${question.what === 'move' ? 'Move' : 'Copy'} ${question.subject}`}
    >
      {question !== null && <DestinationForm {...props} question={question} />}
    </Modal>
  );
}
