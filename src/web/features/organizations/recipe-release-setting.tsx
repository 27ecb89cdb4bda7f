import { Group, Select, Stack, Text } from '@mantine/core';
import type { Organization, RecipeRelease } from '#contract/shapes/organization.ts';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import { useOrganizationMutations } from './mutations.ts';

const words = { managers: 'Managers', editors: 'Managers and editors' } as const satisfies Record<
  RecipeRelease['by'],
  string
>;

/** Who may release recipe versions; members can read the setting, managers can change it. */
export function RecipeReleaseSetting({ organization }: { organization: Organization }) {
  const { id, isManager, recipeRelease } = organization;
  const { setRecipeRelease } = useOrganizationMutations();
  const change = (part: Partial<RecipeRelease>) =>
    setRecipeRelease.mutate({ path: { id }, body: { recipeRelease: { ...recipeRelease, ...part } } });
  return (
    <Stack gap="md" className="measure">
      <Text c="dimmed">
        Only runs of released recipe versions count towards a part’s verdict. A version that its author may
        not release is saved as a draft.
      </Text>
      {isManager ? (
        <Select
          label="Recipes are released by"
          data={Object.entries(words).map(([value, label]) => ({ value, label }))}
          value={recipeRelease.by}
          onChange={(value) => change({ by: value === 'editors' ? 'editors' : 'managers' })}
          allowDeselect={false}
          w={260}
        />
      ) : (
        <Text>
          Recipes are released by: <b>{words[recipeRelease.by].toLowerCase()}</b>
        </Text>
      )}
      <Group gap="sm">
        <ReasonedSwitch
          aria-label="Not by the author"
          checked={recipeRelease.notByAuthor}
          reason={isManager ? null : 'Only a manager can change who releases recipes'}
          onChange={(notByAuthor) => change({ notByAuthor })}
        />
        <Text>Someone other than the author has to release a recipe</Text>
      </Group>
    </Stack>
  );
}
