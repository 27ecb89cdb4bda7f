/** Failed imports of a project without data: the problem of each file, or a form for missing information. */
import { Text, Title } from '@mantine/core';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkError } from '#web/ui/work.tsx';
import { toRetryInput } from './import-fields.ts';
import { ImportFieldsForm } from './import-fields-form.tsx';
import { useCompleteIngest } from './mutations.ts';
import classes from './uploads-panel.module.css';

interface FailedImportsProps {
  operations: readonly Operation[];
  projectId: string;
  /** why the user can't continue an import; null = they can */
  reason: string | null;
}

export const readFileName = ({ parameters: { fileName } }: Operation): string | null =>
  typeof fileName === 'string' ? fileName : null;

export function FailedImports({ operations, projectId, reason }: FailedImportsProps) {
  const completing = useCompleteIngest(projectId);
  if (operations.length === 0) return null;
  return (
    <section className={classes.failed} aria-labelledby="failed-imports">
      <Title order={2} size="h3" id="failed-imports">
        Not imported
      </Title>
      {operations.map((operation) => {
        const { id, error, parameters } = operation;
        const missing = error?.missing ?? [];
        return (
          <div key={id} className={classes.failedFile}>
            <Text size="sm" fw={500} className={classes.fileName}>
              {readFileName(operation)}
            </Text>
            {missing.length > 0 ? (
              <StatusBadge status="indeterminate" label="Needs input" />
            ) : (
              <StatusBadge status="failed" />
            )}
            <div className={classes.wide}>
              {missing.length > 0 && reason === null ? (
                <ImportFieldsForm
                  fileName={readFileName(operation)}
                  sizeBytes={typeof parameters.sizeBytes === 'number' ? parameters.sizeBytes : null}
                  missing={missing}
                  suggested={{ ...error?.suggested, ...parameters }}
                  submitLabel="Import"
                  isSending={completing.isPending}
                  onSubmit={(values, asked) =>
                    completing.mutate(
                      { operationId: id, input: toRetryInput(asked, values) },
                      { onError: notifyFailure },
                    )
                  }
                />
              ) : (
                error && <WorkError {...error} />
              )}
            </div>
          </div>
        );
      })}
    </section>
  );
}
