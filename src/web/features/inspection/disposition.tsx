import { Group, Modal, SegmentedControl, Text, Textarea, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { capitalised } from '#contract/base/format-number.ts';
import {
  type DispositionDecision,
  DispositionInput,
  dispositionDecisions,
} from '#contract/shapes/disposition.ts';
import type { Disposition, Project } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { Form } from '#web/ui/form.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { useCreateDisposition } from './queries.ts';

interface DispositionBarProps {
  project: Project;
  /** why the user may not decide; null = they may */
  reason: string | null;
}

/** The disposition of the part, beside its verdict, and the button that sets it. */
export function DispositionBar({ project, reason }: DispositionBarProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const { disposition } = project;
  return (
    <Group gap="sm" wrap="nowrap" miw={0} flex={disposition === null ? 'none' : undefined}>
      {disposition && <Decided disposition={disposition} />}
      <ActionButton variant="default" size="compact-sm" flex="none" reason={reason} onClick={open}>
        {disposition === null ? 'Set disposition' : 'Change disposition'}
      </ActionButton>
      <Modal opened={opened} onClose={close} title="Disposition of the part">
        <DecideForm projectId={project.id} before={disposition} onClose={close} />
      </Modal>
    </Group>
  );
}

function Decided({ disposition }: { disposition: Disposition }) {
  const { decision, reason, author, createdAt, outdated } = disposition;
  return (
    <Tooltip
      label={outdated ? `${reason} — decided before the part was scanned or measured again` : reason}
      multiline
      maw={420}
    >
      <Text size="sm" truncate c={outdated ? 'dimmed' : undefined}>
        <b>{capitalised(decision)}</b>
        {outdated && ' (outdated)'} · {reason} · {author?.name ?? 'a former member'},{' '}
        <RelativeTime value={createdAt} />
      </Text>
    </Tooltip>
  );
}

const help: Record<DispositionDecision, string> = {
  accept: 'The part may be used as it is.',
  rework: 'The part is reworked and measured again.',
  scrap: 'The part is not used.',
};

function DecideForm({
  projectId,
  before,
  onClose,
}: {
  projectId: string;
  before: Disposition | null;
  onClose: () => void;
}) {
  const createDisposition = useCreateDisposition(projectId);
  return (
    <Form
      initial={{ decision: before?.decision ?? ('accept' as DispositionDecision), reason: '' }}
      schema={DispositionInput}
      mutation={createDisposition}
      onSubmit={(input) => createDisposition.mutate(input, { onSuccess: onClose })}
      submitLabel="Save disposition"
      onCancel={onClose}
    >
      {(form) => (
        <>
          <SegmentedControl
            aria-label="Decision"
            data={dispositionDecisions.map((value) => ({ value, label: capitalised(value) }))}
            fullWidth
            {...form.getInputProps('decision')}
          />
          <Text size="sm" c="dimmed">
            {help[form.values.decision]} The verdict stays as it was measured.
          </Text>
          <Textarea
            label="Reason"
            minRows={3}
            autosize
            required
            data-autofocus
            {...form.getInputProps('reason')}
          />
        </>
      )}
    </Form>
  );
}
