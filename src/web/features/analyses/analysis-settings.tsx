import { CloseButton, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { type AnalysisKind, findAnalysis } from '#contract/analyses/registry.ts';
import { isEscape } from '#web/ui/is-escape.ts';
import { AnalysisForm, type AnalysisFormProps } from './analysis-form.tsx';
import classes from './analysis-settings.module.css';
import { inSentence } from './analysis-states.ts';

interface AnalysisSettingsProps
  extends Omit<AnalysisFormProps, 'analysis' | 'onTitle' | 'onStarted' | 'onCancel'> {
  kind: AnalysisKind;
  onClose: () => void;
}

/**
 * The form of an analysis beside the viewer, which previews its settings; starts the analysis and confirms it in a
 * toast.
 */
export function AnalysisSettings({ kind, onClose, ...form }: AnalysisSettingsProps) {
  const analysis = findAnalysis(kind);
  const [title, setTitle] = useState(analysis?.title ?? '');
  const panel = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.scrollIntoView({ block: 'nearest' });
    panel.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  if (!analysis) return null;
  return (
    <dialog
      open
      ref={panel}
      className={classes.panel}
      aria-label={title}
      onKeyDown={(event) => {
        if (!isEscape(event)) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Group justify="space-between" wrap="nowrap">
        <Text component="h2" fw={600}>
          {title}
        </Text>
        <CloseButton aria-label={`Close ${inSentence(title)}`} onClick={onClose} />
      </Group>
      <AnalysisForm
        key={analysis.key}
        {...form}
        analysis={analysis}
        onTitle={setTitle}
        onCancel={onClose}
        onStarted={() => {
          onClose();
          notifications.show({ message: `${title} has started`, autoClose: 4_000 });
        }}
      />
    </dialog>
  );
}
