import { useMemo } from 'react';
import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import { analysisParameters } from '#contract/analyses/parameters.ts';
import { type Field, fieldsOf } from './form-model.ts';
import { kindPages } from './kinds/registry.ts';

/** The fields of an analysis, with the conditions that its page adds to those of the schema. */
export const useKindFields = (kind: AnalysisKind): Field[] =>
  useMemo(() => {
    const conditions: Partial<Record<string, Field['onlyWhen']>> = kindPages[kind]?.onlyWhen ?? {};
    return fieldsOf(analysisParameters[kind]).map((field) => ({
      ...field,
      onlyWhen: conditions[field.key] ?? field.onlyWhen,
    }));
  }, [kind]);
