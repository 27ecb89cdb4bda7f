import { Modal, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { listRecipeVersionsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { bulkWords, countProjects } from '#web/ui/bulk-words.ts';
import { Form, noMutation } from '#web/ui/form.tsx';
import { BulkPreview, useBulkPreview, whyWait, wouldBe } from './bulk-preview.tsx';

export interface BulkQuestion {
  operationType: 'archive' | 'restore' | 'delete' | 'runRecipe' | 'downloadResults';
  count: number;
}

interface BulkDialogProps {
  question: BulkQuestion | null;
  organizationId: string;
  /** null while loading */
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

const labels = { ...titles, runRecipe: (subject: string) => `Run on ${subject}` };

const notes: Partial<Record<BulkQuestion['operationType'], string>> = {
  archive: 'Archived projects can’t be changed until they are restored. This can be undone.',
  delete: 'They go to the trash, from where they can be restored. This can be undone.',
  runRecipe: 'Single analyses started meanwhile go first.',
  downloadResults: 'One ZIP with a folder per project and a table of every measured value.',
};

const nothing = z.object({});

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
    if (preview.isError) return 'The preview could not be loaded';
    if (preview.data === undefined) return whyWait(proposal) ?? 'Loading the preview…';
    return changed > 0 ? null : `No project ${wouldBe[operationType]}`;
  };
  const { action } = bulkWords[operationType];
  return (
    <Form
      initial={{}}
      schema={nothing}
      mutation={noMutation}
      reason={explainWait()}
      onSubmit={() => onConfirm(recipePk ?? undefined)}
      submitLabel={changed > 0 ? labels[operationType](countProjects(changed)) : action}
      isDangerous={operationType === 'delete'}
      startsAtSubmit={!needsRecipe}
      onCancel={onClose}
    >
      {() => (
        <>
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
              // Focusing the select opens its list, which would cover the button where no recipe is needed.
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
        </>
      )}
    </Form>
  );
}

/** Shows the effect on how many projects, and sends the request once confirmed. */
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
