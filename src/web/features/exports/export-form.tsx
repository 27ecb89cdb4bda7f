import { Checkbox, Group, Kbd, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { ExportConfig, ExportInput } from '#contract/shapes/export.ts';
import { explain } from '#web/api/errors.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { useRequestExport } from './mutations.ts';

interface ExportFormProps {
  projectId: string;
  /** why nothing can be exported; null = it can */
  reason: string | null;
}

type ConfigKey = keyof typeof ExportConfig.shape;
const configKeys = Object.keys(ExportConfig.shape) as ConfigKey[];
const titleOf = (key: ConfigKey): string => ExportConfig.shape[key].meta()?.title ?? key;
const mailTitle = ExportInput.shape.sendToRequester.meta()?.title ?? 'Mail the address to me';
const explanations: Record<ConfigKey, string> = {
  exportMeshes: 'meshes, analysis results and reports',
  exportVolumes: 'the scan as it was uploaded; may be large',
  exportRadiographs: 'the projections, where there are some',
};

/** What goes into the archive, and whether its address is mailed. */
export function ExportForm({ projectId, reason }: ExportFormProps) {
  const [config, setConfig] = useState(() => ExportConfig.parse({}));
  const [sendToRequester, setSendToRequester] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const request = useRequestExport(projectId);
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null) return;
    const input = ExportInput.safeParse({ config, sendToRequester });
    if (!input.success) {
      setProblem('Choose at least one kind of data');
      return;
    }
    setProblem(null);
    request.mutate(input.data, {
      onSuccess: () => notifications.show({ message: 'The export has started', autoClose: 4_000 }),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} onKeyDown={onKeyDown} aria-label="New export">
      <Stack gap="sm" maw={480}>
        <Checkbox.Group
          label="What goes into the archive"
          error={problem}
          value={configKeys.filter((key) => config[key])}
          onChange={(chosen) => {
            setProblem(null);
            setConfig(
              Object.fromEntries(configKeys.map((key) => [key, chosen.includes(key)])) as typeof config,
            );
          }}
        >
          <Stack gap={6} mt={6}>
            {configKeys.map((key) => (
              <Checkbox key={key} value={key} label={titleOf(key)} description={explanations[key]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Checkbox
          label={mailTitle}
          description="when mail is set up; you are told here in any case"
          checked={sendToRequester}
          onChange={(event) => setSendToRequester(event.currentTarget.checked)}
        />
        {request.error && <ProblemAlert {...explain(request.error)} />}
        <Group gap="sm">
          <ActionButton type="submit" reason={reason} loading={request.isPending}>
            Export
          </ActionButton>
          <Text size="xs" c="dimmed">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
