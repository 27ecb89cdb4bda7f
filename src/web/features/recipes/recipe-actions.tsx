import { Button } from '@mantine/core';
import { IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { askFirst } from '#web/ui/ask-first.tsx';
import { useChangeRelease } from './mutations.ts';

export interface ActionReasons {
  /** why the user can't write recipes; null = they can */
  writeReason: string | null;
  /** why the user can't run a recipe anywhere; null = they can */
  runReason: string | null;
  /** why the user can't withdraw versions; null = they can */
  withdrawReason: string | null;
}

interface RecipeActionsProps extends ActionReasons {
  organizationId: string;
  recipePk: string;
  shown: RecipeVersion;
  onRun: () => void;
}

/** Buttons to revise, release, withdraw and run the version shown. */
export function RecipeActions({
  organizationId,
  recipePk,
  shown,
  writeReason,
  runReason,
  withdrawReason,
  onRun,
}: RecipeActionsProps) {
  const changeRelease = useChangeRelease(organizationId);
  const setReleased = (releases: boolean) =>
    changeRelease.mutate({ versionId: shown.id, releases }, { onError: notifyFailure });
  const withdraw = () =>
    askFirst({
      title: `Withdraw version ${shown.version} of “${shown.name}”?`,
      children: (
        <>
          It becomes a draft again, and the results of its runs no longer count in the verdicts of parts;
          those of other released versions do. The results stay, and the version can be released again.
        </>
      ),
      confirmLabel: 'Withdraw the version',
      onConfirm: () => setReleased(false),
    });
  return (
    <>
      {writeReason === null ? (
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/recipes/new" search={{ recipe: recipePk, from: shown.id }} />
          )}
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
        >
          Revise
        </Button>
      ) : (
        <ActionButton
          reason={writeReason}
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
        >
          Revise
        </ActionButton>
      )}
      <ActionButton
        reason={shown.status === 'draft' ? shown.mayRelease.reason : withdrawReason}
        variant="default"
        loading={changeRelease.isPending}
        onClick={shown.status === 'draft' ? () => setReleased(true) : withdraw}
      >
        {shown.status === 'draft' ? 'Release' : 'Withdraw'} version {shown.version}
      </ActionButton>
      {runReason === null && (
        <Button
          renderRoot={(props) => <Link {...props} to="/projects" />}
          variant="default"
          title="Select them in the list, then run the recipe on all of them"
        >
          Run on many projects
        </Button>
      )}
      <ActionButton reason={runReason} leftSection={<IconPlayerPlay size={14} aria-hidden />} onClick={onRun}>
        Run on a project
      </ActionButton>
    </>
  );
}
