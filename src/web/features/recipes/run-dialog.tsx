import { Anchor, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getStep } from '#contract/analyses/steps.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { useRunRecipe } from './mutations.ts';
import { ProjectSelect } from './project-select.tsx';
import { recipesOptions, versionsOptions } from './queries.ts';

interface RunDialogProps {
  organizationId: string;
  /** fixed if opened from a project */
  projectId?: string;
  /** fixed if opened from a recipe */
  recipePk?: string;
  opened: boolean;
  onClose: () => void;
  onStarted: (runId: string) => void;
}

/** Asks for recipe, version and project. */
export function RunDialog({ opened, onClose, ...rest }: RunDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Run a recipe" size="lg">
      {opened && <RunForm onClose={onClose} {...rest} />}
    </Modal>
  );
}

function RunForm(props: Omit<RunDialogProps, 'opened'>) {
  const { organizationId, onClose, onStarted } = props;
  const [projectId, setProjectId] = useState<string | null>(props.projectId ?? null);
  const [recipePk, setRecipePk] = useState<string | null>(props.recipePk ?? null);
  const [versionId, setVersionId] = useState<string | null>(null);
  const recipes = useQuery(recipesOptions(organizationId));
  const versions = useQuery({
    ...versionsOptions(organizationId, recipePk ?? ''),
    enabled: recipePk !== null,
  });
  const run = useRunRecipe();
  const list = recipes.data?.results ?? [];
  // The newest released version is the default; for a recipe with drafts only, the newest draft.
  const chosen =
    versions.data?.results.find(({ id }) => id === versionId) ??
    versions.data?.results.find(({ isLatest }) => isLatest) ??
    list.find((recipe) => recipe.recipePk === recipePk);
  if (recipes.error) return <ProblemAlert query={recipes} />;
  if (recipes.isSuccess && list.length === 0)
    return (
      <Text>
        This organization has no recipe yet.{' '}
        <Anchor component={Link} to="/recipes/new">
          Create a recipe
        </Anchor>
        .
      </Text>
    );
  const reason =
    recipePk === null ? 'Choose a recipe first' : projectId === null ? 'Choose a project first' : null;
  return (
    <Stack gap="sm">
      <ProblemAlert error={run.error} />
      <Select
        label="Recipe"
        placeholder="Choose a recipe"
        data={list.map((recipe) => ({ value: recipe.recipePk, label: recipe.name }))}
        value={recipePk}
        onChange={(value) => {
          setRecipePk(value);
          setVersionId(null);
        }}
        searchable
        allowDeselect={false}
        data-autofocus={props.recipePk === undefined || undefined}
      />
      {recipePk !== null && (
        <Select
          label="Version"
          description={
            chosen?.status === 'draft'
              ? 'A draft: the run is a trial and gives the part no verdict'
              : undefined
          }
          data={(versions.data?.results ?? []).map(({ id, version, isLatest, status, name }) => ({
            value: id,
            label: `${version}${isLatest ? ' (newest)' : status === 'draft' ? ' (draft)' : ''}: ${name}`,
          }))}
          value={chosen?.id ?? null}
          onChange={setVersionId}
          allowDeselect={false}
        />
      )}
      {props.projectId === undefined && (
        <ProjectSelect
          organizationId={organizationId}
          label="Project"
          value={projectId}
          onChange={setProjectId}
          autoFocus={props.recipePk !== undefined}
        />
      )}
      {chosen && (
        <Text c="dimmed">
          {chosen.steps.map(({ operation }) => getStep(operation).title).join(', ')};{' '}
          {chosen.gates.length === 0
            ? 'no gates: it measures and gives no verdict'
            : `${chosen.gates.length} ${chosen.gates.length === 1 ? 'gate' : 'gates'}`}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <ActionButton
          data-sends
          reason={reason}
          loading={run.isPending}
          onClick={() =>
            recipePk !== null &&
            projectId !== null &&
            run.mutate(
              { projectId, recipePk, ...(chosen === undefined ? {} : { recipeVersionId: chosen.id }) },
              { onSuccess: ({ id }) => onStarted(id) },
            )
          }
        >
          Run
        </ActionButton>
      </Group>
    </Stack>
  );
}
