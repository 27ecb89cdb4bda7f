import { Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { listFields } from '#contract/analyses/fields.ts';
import { type AnalysisKind, getAnalysis } from '#contract/analyses/registry.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { FieldInput } from './field-input.tsx';
import { type FormValues, findErrors, initialValues, isShown, toParameters } from './form-model.ts';

interface ParameterFieldsProps {
  kind: AnalysisKind;
  parameters: Record<string, unknown>;
  onChange: (parameters: Record<string, unknown>) => void;
}

/**
 * Parameter fields of an analysis that runs later, on a project not known yet: inputs are left out, and so is the
 * matrix that a preceding alignment provides.
 */
export function ParameterFields({ kind, parameters, onChange }: ParameterFieldsProps) {
  const { parameters: schema } = getAnalysis(kind);
  const fields = useMemo(() => listFields(schema), [schema]);
  const [values, setValues] = useState<FormValues>(() => initialValues(fields, parameters));
  const [showsAdvanced, setShowsAdvanced] = useState(false);
  const errors = findErrors(schema, fields, values);
  const shown = fields.filter((field) => isShown(field, values) && field.kind !== 'dataObject');
  const basic = shown.filter(({ advanced }) => !advanced);
  const advanced = shown.filter((field) => field.advanced);
  const change = (key: string, value: unknown) => {
    const next = { ...values, [key]: value };
    setValues(next);
    onChange(toParameters(fields, next));
  };
  const input = (field: (typeof fields)[number]) => (
    <FieldInput
      key={field.key}
      field={field}
      value={values[field.key]}
      error={field.key === 'matrix' ? undefined : errors[field.key]}
      sources={[]}
      autoFocus={false}
      onChange={(value) => change(field.key, value)}
      onLeave={() => undefined}
    />
  );
  return (
    <Stack gap="sm">
      {basic.map(input)}
      <AdvancedFields
        titles={advanced.map(({ title }) => title)}
        opened={showsAdvanced}
        onToggle={() => setShowsAdvanced((open) => !open)}
      >
        {advanced.map(input)}
      </AdvancedFields>
    </Stack>
  );
}
