import { Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  type AnalysisKind,
  analysisFacts,
  needsReference,
  referenceKinds,
} from '#contract/analyses/kinds.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { AnalysisForm } from './analysis-form.tsx';

interface AnalysisDialogProps {
  projectId: string;
  /** null = closed */
  kind: AnalysisKind | null;
  given?: Record<string, unknown>;
  dataObjects: readonly DataObject[];
  reason: string | null;
  onClose: () => void;
}

/** The form of an analysis in a dialog; it starts and says so. */
export function AnalysisDialog({
  projectId,
  kind,
  given,
  dataObjects,
  reason,
  onClose,
}: AnalysisDialogProps) {
  const facts = kind === null ? null : analysisFacts[kind];
  // As the service chooses: the newest of the first kind that there is one of.
  const ofKinds = (wanted: readonly string[]) => {
    const ready = dataObjects.filter(({ status }) => status === 'completed');
    return wanted.flatMap((each) => ready.filter((candidate) => candidate.kind === each));
  };
  return (
    <Modal opened={kind !== null} onClose={onClose} title={facts?.title} size="lg">
      {kind !== null && facts !== null && (
        <AnalysisForm
          key={kind}
          projectId={projectId}
          kind={kind}
          given={given}
          sources={ofKinds(facts.sourceKinds)}
          references={needsReference(kind) ? ofKinds(referenceKinds) : []}
          reason={reason}
          onCancel={onClose}
          onStarted={() => {
            onClose();
            notifications.show({ message: `${facts.title} has started`, autoClose: 4_000 });
          }}
        />
      )}
    </Modal>
  );
}
