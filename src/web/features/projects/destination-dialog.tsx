import { Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Workspace } from '#contract/shapes/organization.ts';
import { Destination, type Project } from '#contract/shapes/project.ts';
import { Form } from '#web/ui/form.tsx';
import { BulkPreview, type BulkProposal, whyWait } from './bulk-preview.tsx';
import { WorkspaceSelect } from './workspace-select.tsx';

export interface DestinationQuestion {
  what: 'copy' | 'move';
  /** `“Housing 0412”` or `12 projects` */
  subject: string;
  /** the name to edit, for a single project */
  name: string | null;
  /** the current workspace of a single project, which is not offered as a destination */
  from: string | null;
  /** for several projects: preview of the effect */
  preview?: BulkProposal | null;
}

/** The question for copying or moving a single project. */
export const askPlace = (what: 'copy' | 'move', { name, workspaceId }: Project): DestinationQuestion => ({
  what,
  subject: `“${name}”`,
  name: what === 'copy' ? `${name} (copy)` : name,
  from: workspaceId,
});

interface DestinationDialogProps {
  question: DestinationQuestion | null;
  workspaces: Workspace[];
  /** a rejection is shown in the dialog, which stays open until its owner closes it */
  onChoose: (workspaceId: string, name: string | undefined) => Promise<void>;
  onClose: () => void;
}

type FormProps = DestinationDialogProps & { question: DestinationQuestion };

function DestinationForm({ question, workspaces, onChoose, onClose }: FormProps) {
  const isMove = question.what === 'move';
  const places = workspaces.filter(({ id }) => !isMove || id !== question.from);
  const writable = places.filter(({ role }) => role === 'editor');
  const likely =
    writable.find(({ id }) => id === question.from) ?? (writable.length === 1 ? writable[0] : null);
  const choice = useMutation({
    mutationFn: ({ destinationWorkspaceId, name }: z.infer<typeof Destination>) =>
      onChoose(destinationWorkspaceId, name),
  });
  return (
    <Form
      initial={{
        destinationWorkspaceId: likely?.id ?? '',
        name: question.name ?? '',
      }}
      schema={Destination}
      toInput={({ name, ...rest }) => ({ ...rest, name: name.trim() || undefined })}
      words={{ destinationWorkspaceId: 'Choose a workspace' }}
      mutation={choice}
      onSubmit={(input) => choice.mutate(input)}
      submitLabel={isMove ? 'Move' : 'Copy'}
      reason={whyWait(question.preview)}
      onCancel={onClose}
    >
      {(form) => (
        <>
          <WorkspaceSelect
            label={isMove ? 'Move to' : 'Copy to'}
            placeholder="Choose a workspace"
            description={
              writable.length === 0
                ? 'You can’t edit any other workspace. A manager can give you access.'
                : isMove
                  ? undefined
                  : 'Stored data is shared, so a copy takes no space.'
            }
            workspaces={places}
            writable
            // Opened by focus alone, the list would cover the fields below.
            openOnFocus={false}
            data-autofocus={likely === null || undefined}
            {...form.getInputProps('destinationWorkspaceId')}
          />
          {question.name !== null && (
            <TextInput
              label={isMove ? 'Name' : 'Name of the copy'}
              maxLength={200}
              data-autofocus={likely !== null || undefined}
              {...form.getInputProps('name')}
            />
          )}
          {question.preview && <BulkPreview proposal={question.preview} />}
        </>
      )}
    </Form>
  );
}

/** Asks for the destination of a copy or move. */
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
