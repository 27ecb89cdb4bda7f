import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { chooseReference, rankInputs } from '#contract/analyses/choose-inputs.ts';
import { findDataTitle } from '#contract/analyses/data-kinds.ts';
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { type Field, listFields } from '#contract/analyses/fields.ts';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import { chooseTitle } from '#contract/analyses/titles.ts';
import { ServiceError } from '#web/api/errors.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import classes from './analysis-settings.module.css';
import { inSentence } from './analysis-states.ts';
import { FieldInput, type FieldProps, type SourceChoice } from './field-input.tsx';
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

export interface AnalysisFormProps {
  projectId: string;
  analysis: AnalysisDeclaration & { key: AnalysisKind };
  /** parameters of an earlier run that prefill the form */
  given?: Record<string, unknown>;
  dataObjects: readonly DataObject[];
  /** why the analysis can't be run now; null = it can */
  reason: string | null;
  /** called at every change with what the slices show of the form; with null when the form closes */
  onPlan: (plan: FormPlan | null) => void;
  /** called with the title of the analysis, which depends on the kind of the reference */
  onTitle: (title: string) => void;
  onStarted: () => void;
  onCancel: () => void;
}

const sourceKey = 'sourceDataObjectId';
const referenceKey = 'referenceDataObjectId';

/** Reports a value to the parent at every change, and null on unmount. */
function useReport<Value>(value: Value, onReport: (value: Value | null) => void): void {
  useEffect(() => onReport(value), [onReport, value]);
  useEffect(() => () => onReport(null), [onReport]);
}

/** The input and the reference, chosen or by default. */
function chooseInputs(values: FormValues, sources: readonly SourceChoice[]) {
  const id = (key: string) => (typeof values[key] === 'string' ? values[key] : null);
  const referenceId = id(referenceKey);
  const first = sources.find((source) => source.id !== referenceId)?.id ?? null;
  return { sourceId: id(sourceKey) ?? first, referenceId };
}

/** Describes what the slices beside the form show, with the colour of the preview line. */
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

/** The chosen reference, of this project or another one, and the choices of each data object field. */
function useInputs(
  { projectId, analysis: { needs, refusesReference }, dataObjects }: AnalysisFormProps,
  fields: readonly Field[],
  values: FormValues,
) {
  const sources: readonly SourceChoice[] = rankInputs(dataObjects, needs.source);
  const references = rankInputs(dataObjects, needs.reference);
  const { sourceId, referenceId } = chooseInputs(values, sources);
  const own = references.find(({ id }) => id === referenceId) ?? null;
  const elsewhere = useQuery({
    ...foreignReferenceOptions(projectId, referenceId ?? ''),
    enabled: referenceId !== null && own === null,
  });
  const foreign = own === null ? (elsewhere.data?.results[0] ?? null) : null;
  const reference = own ?? foreign;
  const takesNewest = chooseReference(references) !== undefined;
  return {
    ...{ sourceId, referenceId, foreign, takesNewest },
    referenceKind: reference?.kind,
    lacksReference: referenceId === null && !takesNewest && fields.some(({ key }) => key === referenceKey),
    listChoices: (key: string): readonly SourceChoice[] =>
      key === referenceKey
        ? references
            .filter(({ id }) => id !== sourceId)
            .map(({ id, name, kind }) => ({ id, name, kind: inSentence(findDataTitle(kind) ?? kind) }))
        : sources.filter(({ id }) => id !== values[referenceKey]),
    /**
     * Why a choice is incompatible with the chosen reference; null = it is compatible, or no reference is chosen yet.
     */
    reasonAgainst: (key: string, choice: string): string | null => {
      const refused = reference && refusesReference?.({ [key]: choice }, reference);
      return refused?.field === key ? refused.reason : null;
    },
  };
}

/** Errors by field, and focus on the first field with one. */
function useFormErrors(schema: AnalysisDeclaration['parameters'], fields: readonly Field[]) {
  const [errors, setErrors] = useState<FormErrors>({});
  const [showsAdvanced, setShowsAdvanced] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const show = (found: FormErrors) => {
    setErrors(found);
    const first = fields.find(({ key }) => found[key] !== undefined);
    if (first?.advanced) setShowsAdvanced(true);
    if (first)
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.key)}"]`)?.focus(),
      );
  };
  /** Validates one field again; with `onlyMends` it only clears an error, so that unfinished input shows no new one. */
  const check = (key: string, values: FormValues, onlyMends = false) => {
    const { [key]: found } = findErrors(schema, fields, values);
    if (found !== undefined && onlyMends) return;
    setErrors(({ [key]: _old, ...others }) => (found === undefined ? others : { ...others, [key]: found }));
  };
  return { errors, show, check, form, showsAdvanced, setShowsAdvanced };
}

/** The form of one analysis, generated from the contract's schema. */
export function AnalysisForm(props: AnalysisFormProps) {
  const { projectId, analysis, given, dataObjects, reason, onPlan, onTitle, onStarted, onCancel } = props;
  const { key: kind, parameters: schema, help, needs, restsOn } = analysis;
  const fields = useMemo(() => listFields(schema), [schema]);
  const [values, setValues] = useState<FormValues>(() => {
    const bestReference = chooseReference(rankInputs(dataObjects, needs.reference));
    const preset = given ?? (bestReference ? { [referenceKey]: bestReference.id } : undefined);
    return initialValues(fields, preset);
  });
  const { errors, show, check, form, showsAdvanced, setShowsAdvanced } = useFormErrors(schema, fields);
  const run = useRunAnalysis(projectId, kind);
  const inputs = useInputs(props, fields, values);
  const { sourceId, referenceId } = inputs;
  const title = chooseTitle(analysis, inputs.referenceKind);
  useEffect(() => onTitle(title), [onTitle, title]);
  const plan = useMemo(
    () => planForm({ restsOn }, values, dataObjects, { sourceId, referenceId }),
    [restsOn, values, dataObjects, sourceId, referenceId],
  );
  useReport(plan, onPlan);

  const shown = fields.filter((field) => isShown(field, values));
  const advanced = shown.filter((field) => field.advanced);
  const volume = dataObjects.find(({ id }) => id === plan.volumeId);
  const range = volume?.kind === 'volume' ? volume.metadata.range : null;
  const change = (key: string, value: unknown) => {
    const next = { ...values, [key]: value };
    // A custom grey value starts at the level of the surface shown so far.
    const ownKey = key.replace(/\.mode$/, '.value');
    if (value === 'value' && next[ownKey] === undefined && plan.surface)
      next[ownKey] = roundTo(plan.surface.firstLevel, range);
    setValues(next);
    // A corrected field loses its error at once.
    if (errors[key] !== undefined) check(key, next, true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null || run.isPending) return;
    const found = findErrors(schema, fields, values);
    if (inputs.lacksReference) found[referenceKey] ??= 'Choose a data object';
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
  const input = (field: Field, index: number) => (
    <AnalysisField
      key={field.key}
      {...{ projectId, field, range, inputs }}
      value={values[field.key]}
      error={errors[field.key]}
      autoFocus={index === 0}
      onChange={(value) => change(field.key, value)}
      onLeave={() => check(field.key, values)}
    />
  );

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
        {shown.filter((field) => !field.advanced).map(input)}
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

interface AnalysisFieldProps extends FieldProps {
  projectId: string;
  /** grey range of the input scan; null = not a scan, or not known */
  range: readonly [number, number] | null;
  inputs: ReturnType<typeof useInputs>;
}

/** One field; references and grey values have their own inputs. */
function AnalysisField({ projectId, range, inputs, ...props }: AnalysisFieldProps) {
  const { field } = props;
  const choices = inputs.listChoices(field.key);
  if (field.key === referenceKey)
    return (
      <ReferenceInput
        {...props}
        projectId={projectId}
        field={inputs.takesNewest ? field : { ...field, required: true }}
        value={inputs.referenceId}
        own={choices}
        foreign={inputs.foreign}
      />
    );
  if (field.key.endsWith('.value') && range) return <GreyLevelInput {...props} range={range} />;
  return (
    <FieldInput
      {...props}
      sources={choices}
      reasonAgainst={(choice) => inputs.reasonAgainst(field.key, choice)}
    />
  );
}
