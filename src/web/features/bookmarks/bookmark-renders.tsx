import { Anchor, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import { BookmarkRenderInput } from '#contract/shapes/bookmark.ts';
import type { Bookmark } from '#web/api/generated/types.gen.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { Form } from '#web/ui/form.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkActions, WorkProgress } from '#web/ui/work.tsx';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { useChangeRender, useCreateRender } from './mutations.ts';
import { renderOptions } from './queries.ts';

interface BookmarkRendersProps {
  bookmark: Bookmark;
  viewer: RefObject<KeptView | null>;
  /** restores the bookmark's view in the viewer */
  onRestore: () => void;
  /** why no picture can be rendered; null = it can */
  reason: string | null;
}

const sizes = [
  { value: '1280x720', label: '1280 × 720' },
  { value: '1920x1080', label: '1920 × 1080, full HD' },
  { value: '2560x1440', label: '2560 × 1440' },
  { value: '3840x2160', label: '3840 × 2160, 4K' },
  { value: 'own', label: 'Another size' },
];

/** Pictures of the view for reports, at any size up to 4K. */
export function BookmarkRenders({ bookmark, viewer, onRestore, reason }: BookmarkRendersProps) {
  const renders = useQuery(renderOptions(bookmark.id));
  const create = useCreateRender(bookmark);
  const change = useChangeRender(bookmark);
  return (
    <Stack gap="xs">
      <Form
        label="New render"
        initial={{ size: '1920x1080', width: 1600, height: 1200 }}
        schema={BookmarkRenderInput.pick({ width: true, height: true })}
        toInput={({ size, ...own }) => (size === 'own' ? own : parseSize(size))}
        words={{ width: '16 to 3840', height: '16 to 2160' }}
        mutation={create}
        reason={reason}
        onSubmit={(size) => {
          onRestore();
          // The viewer draws the restored view before it is captured.
          requestAnimationFrame(() => create.mutate({ ...size, viewer: viewer.current }));
        }}
        submitLabel="Render"
        submitLook={{ size: 'compact-sm', variant: 'default' }}
      >
        {(form) => (
          <>
            <Select
              size="xs"
              label="Size"
              data={sizes}
              allowDeselect={false}
              {...form.getInputProps('size')}
            />
            {form.values.size === 'own' && (
              <Group gap="xs" align="flex-start">
                {(['width', 'height'] as const).map((axis) => (
                  <NumberInput
                    key={axis}
                    size="xs"
                    w={92}
                    label={axis === 'width' ? 'Width' : 'Height'}
                    suffix={'\u202fpx'}
                    {...form.getInputProps(axis)}
                  />
                ))}
              </Group>
            )}
          </>
        )}
      </Form>
      <ProblemAlert error={change.error} />
      <ProblemAlert query={renders} />
      {renders.data && renders.data.results.length > 0 && (
        <Stack gap={4} role="list" aria-label="Renders">
          {renders.data.results.map(({ id, width, height, url, status, progress, error, createdAt }) => (
            <Group key={id} role="listitem" justify="space-between" wrap="nowrap" gap="xs">
              {url === null ? (
                <Text span size="sm" className="numbers" flex="none">
                  {width} × {height}
                </Text>
              ) : (
                <Anchor
                  href={resolveAddress(url)}
                  target="_blank"
                  rel="noreferrer"
                  size="sm"
                  className="numbers"
                  flex="none"
                >
                  {width} × {height}
                </Anchor>
              )}
              {isUnfinished(status) ? (
                <WorkProgress
                  name={`${width} × ${height}`}
                  progress={progress}
                  label={<StatusBadge status={status} />}
                  width={60}
                />
              ) : (
                url === null && <StatusBadge status={status} />
              )}
              <Text span size="sm" flex={1} ta="right" c={error ? 'var(--mantine-color-text)' : 'dimmed'}>
                {error?.detail ?? <RelativeTime value={createdAt} />}
              </Text>
              <WorkActions
                name={`${width} × ${height}`}
                status={status}
                reason={reason}
                isPending={change.isPending && change.variables.id === id}
                onStop={() => change.mutate({ id, change: 'cancel' })}
                onRetry={() => change.mutate({ id, change: 'retry' })}
              />
            </Group>
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function parseSize(text: string): { width: number; height: number } {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
}
