import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext } from 'react';
import { toSentence } from './quantity.ts';

/** A failure in words. */
interface Explanation {
  code: string | null;
  title: string;
  detail: string;
  /** by the name of the invalid field */
  fields: Record<string, string>;
  /** whether a retry may succeed */
  canRetry: boolean;
}

/** Turns an error of a call or of the page into words. A context, because `ui` must not know the service. */
export const ExplainContext = createContext<(error: unknown) => Explanation>((error) => ({
  code: null,
  title: 'This page failed',
  detail: String(error),
  fields: {},
  canRetry: true,
}));

interface FailedQuery {
  error: unknown;
  refetch: () => unknown;
}

interface ProblemAlertProps {
  /** the error; null = nothing is shown */
  error?: unknown;
  /** the failed query, which can be retried */
  query?: FailedQuery;
  /** what failed, in a few words, if no error was thrown */
  title?: string;
  /** the cause, and what to do */
  detail?: string;
  onRetry?: () => void;
  /** a link elsewhere where a retry does not help */
  wayOut?: ReactNode;
}

function useExplained({ query, error = query?.error, onRetry, ...words }: ProblemAlertProps) {
  const explain = useContext(ExplainContext);
  const failure = error === undefined || error === null ? { ...words, canRetry: true } : explain(error);
  const again = query === undefined ? onRetry : () => void query.refetch();
  return { ...failure, onRetry: failure.canRetry ? again : undefined };
}

/** A problem in place of the content: what failed, why, and a retry. */
export function ProblemAlert(props: ProblemAlertProps) {
  const { title, detail, onRetry } = useExplained(props);
  if (detail === undefined) return null;
  return (
    <Alert
      color="danger"
      variant="light"
      role="alert"
      title={title}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      maw={720}
    >
      <Text size="md" className="measure" style={{ overflowWrap: 'anywhere' }}>
        {toSentence(detail)}
      </Text>
      {onRetry !== undefined && (
        <Button
          mt="sm"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={onRetry}
        >
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** A problem as the only content of a page, with a heading. */
export function ProblemPage(props: ProblemAlertProps) {
  const { title, detail, onRetry } = useExplained(props);
  return (
    <Stack p="md" maw={720} gap="sm">
      <Title order={1}>{title}</Title>
      <ProblemAlert detail={detail} onRetry={onRetry} />
      {onRetry === undefined && props.wayOut}
    </Stack>
  );
}
