import { Box, Checkbox, Group, Kbd, Select, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { exportMeshFormats, exportVolumeFormats } from '#contract/base/export-formats.ts';
import { ExportConfig, ExportInput } from '#contract/shapes/export.ts';
import { formats as registry } from '#formats/registry.ts';
import {
  estimateProjectExportOptions,
  readHealthOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { ExportEstimate } from '#web/api/generated/types.gen.ts';
import { Form } from '#web/ui/form.tsx';
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

const proposed = ExportInput.parse({});

/** Chooses content and formats of the archive, shows its size, and offers to email the link. */
export function ExportForm({ projectId, reason }: ExportFormProps) {
  const request = useRequestExport(projectId);
  return (
    <Box maw={480}>
      <Form
        label="New export"
        initial={proposed}
        schema={ExportInput}
        words={{ config: 'Choose at least one kind of data.' }}
        mutation={request}
        reason={reason}
        onSubmit={(input) =>
          request.mutate(ExportInput.parse(input), {
            onSuccess: () => notifications.show({ message: 'Export started', autoClose: 4_000 }),
          })
        }
        submitLabel="Export"
        aside={
          <Text size="xs" c="dimmed" className="key-hint">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
          </Text>
        }
      >
        {(form) => <ExportFields projectId={projectId} form={form} />}
      </Form>
    </Box>
  );
}

interface ExportFieldsProps {
  projectId: string;
  form: UseFormReturnType<z.output<typeof ExportInput>>;
}

function ExportFields({ projectId, form }: ExportFieldsProps) {
  const { config } = form.values;
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
  const change = (changes: Partial<ExportConfig>) => form.setFieldValue('config', { ...config, ...changes });
  return (
    <>
      <Checkbox.Group
        label="Contents of the archive"
        error={form.errors['config']}
        value={chosen.map(({ key }) => key)}
        onChange={(keys) =>
          change({
            exportMeshes: keys.includes('exportMeshes'),
            exportVolumes: keys.includes('exportVolumes'),
            exportRadiographs: keys.includes('exportRadiographs'),
          })
        }
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
      <FormatInputs config={config} onChange={change} />
      <Checkbox
        label={mailTitle}
        description={
          canMail
            ? 'You are also notified here.'
            : 'Mail is not set up on this service. You are notified here when the export is ready.'
        }
        disabled={!canMail}
        {...form.getInputProps('sendToRequester', { type: 'checkbox' })}
      />
      <Text size="sm" c="dimmed" role="status">
        {chosen.length > 0 && estimate.data ? `about ${formatBytes(total)}` : ''}
      </Text>
    </>
  );
}

interface FormatInputsProps {
  config: ExportConfig;
  onChange: (changes: Partial<ExportConfig>) => void;
}

/** Formats of the chosen content. */
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
            onChange({ meshFormats: exportMeshFormats.filter((each) => formats.includes(each)) })
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
            onChange({ volumeFormat: exportVolumeFormats.find((each) => each === format) ?? volumeFormat })
          }
          allowDeselect={false}
        />
      )}
    </>
  );
}
