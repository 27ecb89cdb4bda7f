import { Checkbox, Group, Kbd, Select, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { exportMeshFormats, exportVolumeFormats } from '#contract/base/export-formats.ts';
import { ExportConfig, ExportInput } from '#contract/shapes/export.ts';
import { formats as registry } from '#formats/registry.ts';
import {
  estimateProjectExportOptions,
  readHealthOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { ExportEstimate } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { describePart } from './export-words.ts';
import { useRequestExport } from './mutations.ts';

interface ExportFormProps {
  projectId: string;
  /** why nothing can be exported; null = it can */
  reason: string | null;
}

const kinds = [
  { key: 'exportMeshes', part: 'meshes', explanation: 'Meshes, analysis results and reports' },
  {
    key: 'exportVolumes',
    part: 'volumes',
    explanation: 'The scan as it was uploaded, and in the format below',
  },
  { key: 'exportRadiographs', part: 'radiographs', explanation: 'The projections' },
] as const;
const findTitle = (key: keyof typeof ExportConfig.shape): string =>
  ExportConfig.shape[key].meta()?.title ?? key;
const mailTitle = ExportInput.shape.sendToRequester.meta()?.title ?? 'Email me the link';

const estimatePart = (estimate: ExportEstimate | undefined, part: string) =>
  estimate?.parts.find((each) => each.part === part);

/** What goes into the archive in which formats, how large it will be, and whether its address is mailed. */
export function ExportForm({ projectId, reason }: ExportFormProps) {
  const [config, setConfig] = useState(() => ExportConfig.parse({}));
  const [sendToRequester, setSendToRequester] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const request = useRequestExport(projectId);
  const { volumeFormat, meshFormats } = config;
  const estimate = useQuery({
    ...estimateProjectExportOptions({
      path: { project_id: projectId },
      query: { volumeFormat, meshFormats },
    }),
    placeholderData: keepPreviousData,
  });
  const health = useQuery({ ...readHealthOptions(), staleTime: Number.POSITIVE_INFINITY });
  const canMail = health.data?.sendsMail !== false;
  const chosen = kinds.filter(({ key }) => config[key]);
  const total = chosen.reduce(
    (sum, { part }) => sum + (estimatePart(estimate.data, part)?.sizeBytes ?? 0),
    0,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null) return;
    const input = ExportInput.safeParse({ config, sendToRequester });
    if (!input.success) {
      setProblem('Choose at least one kind of data.');
      return;
    }
    setProblem(null);
    request.mutate(input.data, {
      onSuccess: () => notifications.show({ message: 'Export started', autoClose: 4_000 }),
    });
  };
  return (
    <form onSubmit={submit} aria-label="New export">
      <Stack gap="sm" maw={480}>
        <Checkbox.Group
          label="What goes into the archive"
          error={problem}
          value={chosen.map(({ key }) => key)}
          onChange={(keys) => {
            setProblem(null);
            setConfig({
              ...config,
              exportMeshes: keys.includes('exportMeshes'),
              exportVolumes: keys.includes('exportVolumes'),
              exportRadiographs: keys.includes('exportRadiographs'),
            });
          }}
        >
          <Stack gap={6} mt={6}>
            {kinds.map(({ key, part, explanation }) => (
              <Checkbox
                key={key}
                value={key}
                label={findTitle(key)}
                description={describePart(explanation, estimatePart(estimate.data, part))}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <FormatInputs config={config} onChange={setConfig} />
        <Checkbox
          label={mailTitle}
          description={
            canMail
              ? 'You are also notified here.'
              : 'Mail is not set up on this service. You are notified here when the export is ready.'
          }
          disabled={!canMail}
          checked={sendToRequester}
          onChange={(event) => setSendToRequester(event.currentTarget.checked)}
        />
        <ProblemAlert error={request.error} />
        <Group gap="sm">
          <ActionButton type="submit" reason={reason} loading={request.isPending}>
            Export
          </ActionButton>
          <Text size="sm" c="dimmed" role="status">
            {chosen.length > 0 && estimate.data ? `about ${formatBytes(total)}` : ''}
          </Text>
          <Text size="xs" c="dimmed" ml="auto" className="key-hint">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

interface FormatInputsProps {
  config: ExportConfig;
  onChange: (config: ExportConfig) => void;
}

/** The formats of what was chosen. */
function FormatInputs({ config, onChange }: FormatInputsProps) {
  const { volumeFormat, meshFormats } = config;
  return (
    <>
      {config.exportMeshes && (
        <Checkbox.Group
          label={findTitle('meshFormats')}
          description="None selected: files as stored."
          value={meshFormats}
          onChange={(formats) =>
            onChange({
              ...config,
              meshFormats: exportMeshFormats.filter((each) => formats.includes(each)),
            })
          }
        >
          <Group gap="md" mt={6}>
            {exportMeshFormats.map((format) => (
              <Checkbox key={format} value={format} label={registry[format].name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {(config.exportVolumes || config.exportRadiographs) && (
        <Select
          label={findTitle('volumeFormat')}
          data={exportVolumeFormats.map((value) => ({ value, label: registry[value].name }))}
          value={volumeFormat}
          onChange={(format) =>
            onChange({
              ...config,
              volumeFormat: exportVolumeFormats.find((each) => each === format) ?? volumeFormat,
            })
          }
          allowDeselect={false}
        />
      )}
    </>
  );
}
