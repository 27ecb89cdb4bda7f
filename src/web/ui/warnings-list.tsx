import { Alert, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** Warnings that anyone relying on the result has to know. */
export function WarningsList({ warnings }: { warnings: readonly { code: string; message: string }[] }) {
  if (warnings.length === 0) return null;
  return (
    <Stack gap={6} mb="sm">
      {warnings.map(({ code, message }) => (
        <Alert
          key={code + message}
          color="yellow"
          variant="light"
          icon={<IconAlertTriangle size={16} />}
          p="xs"
        >
          {message}
        </Alert>
      ))}
    </Stack>
  );
}
