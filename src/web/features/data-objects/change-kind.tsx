import { notifications } from '@mantine/notifications';
import { explain } from '#web/api/errors.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { useChangeKind } from './mutations.ts';

interface ChangeKindProps {
  dataObject: DataObject;
  /** why the project can't be changed; null = it can */
  reason: string | null;
}

/** For an uploaded surface: whether it is the part, or the reference for comparisons. */
export function ChangeKind({ dataObject, reason }: ChangeKindProps) {
  const { kind, metadata } = dataObject;
  const change = useChangeKind(dataObject);
  if ((kind !== 'mesh' && kind !== 'cad') || metadata.sourceSha256 === undefined) return null;
  const [wanted, label] =
    kind === 'mesh' ? (['cad', 'Use as CAD'] as const) : (['mesh', 'Use as mesh'] as const);
  return (
    <ActionButton
      size="compact-xs"
      variant="default"
      flex="none"
      reason={reason}
      loading={change.isPending}
      onClick={() =>
        change.mutate(wanted, {
          onError: (error) => notifications.show({ color: 'danger', message: explain(error).detail }),
        })
      }
    >
      {label}
    </ActionButton>
  );
}
