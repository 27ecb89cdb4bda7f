import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import { listRecipeVersionsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { bulkWords, countProjects } from '../../ui/bulk-words.ts';
import { BulkPreview, useBulkPreview, whyWait, wouldBe } from './bulk-preview.tsx';

export interface BulkQuestion {
  operationType: 'archive' | 'restore' | 'delete' | 'runRecipe' | 'downloadResults';
  count: number;
}

interface BulkDialogProps {
  question: BulkQuestion | null;
  organizationId: string;
  /** null while they are being found */
  projectIds: string[] | null;
  onConfirm: (recipePk: string | undefined) => void;
  onClose: () => void;
}

const titles: Record<BulkQuestion['operationType'], (subject: string) => string> = {
  archive: (subject) => `Archive ${subject}`,
  restore: (subject) => `Restore ${subject}`,
  delete: (subject) => `Delete ${subject}`,
  runRecipe: (subject) => `Run a recipe on ${subject}`,
  downloadResults: (subject) => `Download the results of ${subject}`,
};

const notes: Partial<Record<BulkQuestion['operationType'], string>> = {
  archive: 'Archived projects can’t be changed until they are restored. This can be undone.',
  delete: 'They go to the trash, from where they can be restored. This can be undone.',
  runRecipe: 'Single analyses started meanwhile go first.',
  downloadResults: 'One ZIP with a folder a project and a table of every measured value.',
};

function BulkForm(props: BulkDialogProps & { question: BulkQuestion }) {
  const { question, organizationId, projectIds, onConfirm, onClose } = props;
  const { operationType } = question;
  const withRecipe = operationType === 'runRecipe' || operationType === 'downloadResults';
  const needsRecipe = operationType === 'runRecipe';
  const [recipePk, setRecipePk] = useState<string | null>(null);
  const recipes = useQuery({
    ...listRecipeVersionsOptions({
      path: { organization_id: organizationId },
      query: { isLatest: true, page_size: 200 },
    }),
    enabled: withRecipe,
  });
  const newest = recipes.data?.results ?? [];
  const proposal = { operationType, projectIds, ...(recipePk === null ? {} : { recipePk }) };
  const preview = useBulkPreview(proposal);
  const changed = preview.data?.changedCount ?? 0;
  const explainWait = () => {
    if (needsRecipe && recipePk === null) return 'Choose a recipe';
    if (preview.isError) return 'What would change is not known';
    if (preview.data === undefined) return whyWait(proposal) ?? 'Finding out what would change…';
    return changed > 0 ? null : `No project ${wouldBe[operationType]}`;
  };
  const reason = explainWait();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === null) onConfirm(recipePk ?? undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {withRecipe && (
          <Select
            label="Recipe"
            placeholder={
              recipes.isPending
                ? 'Loading…'
                : newest.length === 0
                  ? 'No recipes yet'
                  : needsRecipe
                    ? 'Choose a recipe'
                    : 'All results'
            }
            data={newest.map((each) => ({
              value: each.recipePk,
              label: `${each.name} · version ${each.version}`,
            }))}
            value={recipePk}
            onChange={setRecipePk}
            clearable={!needsRecipe}
            searchable
            // Focus opens its list, which would lie over a button that needs no recipe.
            data-autofocus={needsRecipe || undefined}
            comboboxProps={{ withinPortal: true }}
          />
        )}
        <BulkPreview proposal={proposal} />
        {notes[operationType] !== undefined && (
          <Text size="sm" c="dimmed">
            {notes[operationType]}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ActionButton
            type="submit"
            color={operationType === 'delete' ? 'danger' : undefined}
            reason={reason}
            data-autofocus={!needsRecipe || undefined}
          >
            {changed > 0
              ? `${bulkWords[operationType].action} ${formatCount(changed)}`
              : bulkWords[operationType].action}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}

/** Says what would happen to how many, and does it when it is confirmed. */
export function BulkDialog(props: BulkDialogProps) {
  const { question, onClose } = props;
  return (
    <Modal
      opened={question !== null}
      onClose={onClose}
      size="lg"
      title={question === null ? '' : titles[question.operationType](countProjects(question.count))}
    >
      {question !== null && <BulkForm {...props} question={question} />}
    </Modal>
  );
}
