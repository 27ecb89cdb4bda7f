import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { chooseReference, rankInputs } from '#contract/analyses/choose-inputs.ts';
import { findDataTitle } from '#contract/analyses/data-kinds.ts';
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { listFields } from '#contract/analyses/fields.ts';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import { ServiceError } from '#web/api/errors.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import classes from './analysis-settings.module.css';
import { inSentence } from './analysis-states.ts';
import { FieldInput, type SourceChoice } from './field-input.tsx';
import {
  errorsFromService,
  type FormErrors,
  type FormValues,
  findErrors,
  initialValues,
  isShown,
  toParameters,
} from './form-model.ts';
import { type FormPlan, planForm } from './form-plan.ts';
import { GreyLevelInput, roundTo } from './grey-level-input.tsx';
import { useRunAnalysis } from './mutations.ts';
import { foreignReferenceOptions } from './queries.ts';
import { ReferenceInput } from './reference-input.tsx';

interface AnalysisFormProps {
  projectId: string;
  analysis: AnalysisDeclaration & { key: AnalysisKind };
  /** parameters of an earlier run to start from */
  given?: Record<string, unknown>;
  dataObjects: readonly DataObject[];
  /** why it can't be run now; null = it can */
  reason: string | null;
  /** hears what the slices are to show of it, whenever something is changed; null when the form is left */
  onPlan: (plan: FormPlan | null) => void;
  onStarted: () => void;
  onCancel: () => void;
}

const sourceKey = 'sourceDataObjectId';
const referenceKey = 'referenceDataObjectId';

/** Somebody hears of what there is, and that there is nothing any more. */
function useTold<Told>(told: Told, onTold: (told: Told | null) => void): void {
  useEffect(() => onTold(told), [onTold, told]);
  useEffect(() => () => onTold(null), [onTold]);
}

/** What it works on and what that is held against, chosen or by default. */
function chooseInputs(values: FormValues, sources: readonly SourceChoice[]) {
  const id = (key: string) => (typeof values[key] === 'string' ? values[key] : null);
  const referenceId = id(referenceKey);
  const first = sources.find((source) => source.id !== referenceId)?.id ?? null;
  return { sourceId: id(sourceKey) ?? first, referenceId };
}

/** What the slices beside the form show, with the colour of the line. */
const PlanNotes = ({ plan: { notes, surface } }: { plan: FormPlan }) => (
  <Text size="sm" role="status" className={classes.plan} data-drawn={surface !== null || undefined}>
    {notes.join(' ')}
  </Text>
);

const SendHint = () => (
  <Text size="xs" c="dimmed" className="key-hint">
    <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> starts
  </Text>
);

/** The form of one analysis, read off the contract's schema. */
export function AnalysisForm({
  projectId,
  analysis,
  given,
  dataObjects,
  reason,
  onPlan,
  onStarted,
  onCancel,
}: AnalysisFormProps) {
  const { key: kind, parameters: schema, title, help, needs, restsOn, refusesReference } = analysis;
  const sources: readonly SourceChoice[] = rankInputs(dataObjects, needs.source);
  const references = rankInputs(dataObjects, needs.reference);
  const fields = useMemo(() => listFields(schema), [schema]);
  const [values, setValues] = useState<FormValues>(() => {
    const likeliest = chooseReference(references);
    const preset = given ?? (likeliest ? { [referenceKey]: likeliest.id } : undefined);
    return initialValues(fields, preset);
  });
  const [errors, setErrors] = useState<FormErrors>({});
  const [showsAdvanced, setShowsAdvanced] = useState(false);
  const run = useRunAnalysis(projectId, kind);
  const form = useRef<HTMLFormElement>(null);

  const shown = fields.filter((field) => isShown(field, values));
  const basic = shown.filter((field) => !field.advanced);
  const advanced = shown.filter((field) => field.advanced);

  const { sourceId, referenceId } = chooseInputs(values, sources);
  const ownReference = references.find(({ id }) => id === referenceId) ?? null;
  const plan = useMemo(
    () => planForm({ restsOn }, values, dataObjects, { sourceId, referenceId }),
    [restsOn, values, dataObjects, sourceId, referenceId],
  );
  useTold(plan, onPlan);
  const elsewhere = useQuery({
    ...foreignReferenceOptions(projectId, referenceId ?? ''),
    enabled: referenceId !== null && ownReference === null,
  });
  const foreign = ownReference === null ? (elsewhere.data?.results[0] ?? null) : null;
  const reference = ownReference ?? foreign;
  const takesNewest = chooseReference(references) !== undefined;
  const needsReference = !takesNewest && fields.some(({ key }) => key === referenceKey);
  const listChoices = (key: string): readonly SourceChoice[] =>
    key === referenceKey
      ? references
          .filter(({ id }) => id !== sourceId)
          .map(({ id, name, kind: ofKind }) => ({
            id,
            name,
            kind: inSentence(findDataTitle(ofKind) ?? ofKind),
          }))
      : sources.filter(({ id }) => id !== values[referenceKey]);
  /** Why a choice can't be taken with the reference that is chosen; null = it can, or none is chosen yet. */
  const reasonAgainst = (key: string, choice: string): string | null => {
    const refused = reference && refusesReference?.({ [key]: choice }, reference);
    return refused?.field === key ? refused.reason : null;
  };
  const check = (key: string) => {
    const found = findErrors(schema, fields, values);
    setErrors((before) => {
      const { [key]: _old, ...others } = before;
      return found[key] === undefined ? others : { ...others, [key]: found[key] };
    });
  };
  const volume = dataObjects.find(({ id }) => id === plan.volumeId);
  const range = volume?.kind === 'volume' ? volume.metadata.range : null;
  const change = (key: string, value: unknown) => {
    const next = { ...values, [key]: value };
    // A grey value of one's own begins where the surface was.
    const ownKey = key.replace(/\.mode$/, '.value');
    if (value === 'value' && next[ownKey] === undefined && plan.surface)
      next[ownKey] = roundTo(plan.surface.firstLevel, range);
    setValues(next);
    // What is being corrected is told at once that it is right now.
    if (errors[key] !== undefined) {
      const found = findErrors(schema, fields, next);
      if (found[key] === undefined) setErrors(({ [key]: _fixed, ...others }) => others);
    }
  };
  const show = (found: FormErrors) => {
    setErrors(found);
    const first = fields.find(({ key }) => found[key] !== undefined);
    if (first?.advanced) setShowsAdvanced(true);
    if (first)
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.key)}"]`)?.focus(),
      );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null || run.isPending) return;
    const found = findErrors(schema, fields, values);
    if (needsReference && referenceId === null) found[referenceKey] ??= 'Choose a data object';
    if (Object.keys(found).length > 0) {
      show(found);
      return;
    }
    run.mutate(toParameters(fields, values), {
      onSuccess: onStarted,
      onError: (error) => {
        if (error instanceof ServiceError && error.fieldErrors.length > 0)
          show(errorsFromService(fields, { detail: error.detail, errors: error.fieldErrors }));
      },
    });
  };
  const input = (field: (typeof fields)[number], index: number) => {
    const shared = {
      error: errors[field.key],
      autoFocus: index === 0,
      onChange: (value: unknown) => change(field.key, value),
      onLeave: () => check(field.key),
    };
    return field.key === referenceKey ? (
      <ReferenceInput
        key={field.key}
        projectId={projectId}
        field={takesNewest ? field : { ...field, required: true }}
        value={referenceId}
        own={listChoices(field.key)}
        foreign={foreign}
        {...shared}
      />
    ) : field.key.endsWith('.value') && range ? (
      <GreyLevelInput key={field.key} field={field} value={values[field.key]} range={range} {...shared} />
    ) : (
      <FieldInput
        key={field.key}
        field={field}
        value={values[field.key]}
        sources={listChoices(field.key)}
        reasonAgainst={(choice) => reasonAgainst(field.key, choice)}
        {...shared}
      />
    );
  };

  return (
    <form ref={form} onSubmit={submit} noValidate aria-label={`Parameters of ${inSentence(title)}`}>
      <Stack gap="sm">
        <Text c="dimmed" className="measure">
          {help}
        </Text>
        {reason !== null && <ProblemAlert title="This can’t be run now" detail={reason} />}
        <ProblemAlert error={run.error} />
        {errors[''] !== undefined && (
          <ProblemAlert title="The parameters don’t go together" detail={errors['']} />
        )}
        <PlanNotes plan={plan} />
        {basic.map(input)}
        <AdvancedFields
          titles={advanced.map(({ title }) => title)}
          opened={showsAdvanced}
          onToggle={() => setShowsAdvanced((open) => !open)}
        >
          {advanced.map((field) => input(field, -1))}
        </AdvancedFields>
        <Group justify="space-between" gap="xs" mt="xs">
          <SendHint />
          <Group gap="xs">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            <ActionButton type="submit" reason={reason} loading={run.isPending}>
              Start {inSentence(title)}
            </ActionButton>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
