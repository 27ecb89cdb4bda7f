import { Alert, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** What whoever relies on the figures has to know. */
export function ResultWarnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Stack gap={6}>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="light" icon={<IconAlertTriangle size={16} />} p="xs">
          {warning}
        </Alert>
      ))}
    </Stack>
  );
}
