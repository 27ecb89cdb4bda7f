/** Differences between two versions of a recipe, line by line. Pure. */
import { getStep, splitMeasure } from '#contract/analyses/steps.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { nameAndUnit } from '#web/ui/value-rows.ts';
import { comparisonWords, resolveMeasure } from './draft.ts';

export interface DiffLine {
  /** what changed: “Step thickness”, “Gate wall” */
  subject: string;
  field: string;
  /** null = absent in that version */
  before: string | null;
  after: string | null;
}

/** Formats with full precision, so that different values never look the same. */
const formatWords = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(formatWords).join(', ');
  return value === undefined ? '' : JSON.stringify(value);
};

/**
 * Flattens nested values with readable names: `surface.mode` becomes “surface, mode”, `minThicknessMm` “min thickness”.
 */
function flatten(values: Record<string, unknown>, before = ''): [string, string][] {
  return Object.entries(values).flatMap(([name, each]): [string, string][] => {
    const { label, unit } = nameAndUnit(name);
    const path = before === '' ? label.toLowerCase() : `${before}, ${label.toLowerCase()}`;
    if (typeof each === 'object' && each !== null && !Array.isArray(each))
      return flatten(each as Record<string, unknown>, path);
    return [[path, unit === null || each === null ? formatWords(each) : `${formatWords(each)} ${unit}`]];
  });
}

function measureWords(measure: string, { steps }: RecipeVersion): string {
  const label = resolveMeasure(measure, steps)?.label;
  return label === undefined ? measure : `${label} of ${splitMeasure(measure).step}`;
}

/** The fields of every subject, as text. */
function listLines(version: RecipeVersion): Map<string, Map<string, string>> {
  const lines = new Map<string, Map<string, string>>();
  lines.set(
    'Recipe',
    new Map([
      ['name', version.name],
      ['description', version.description],
      ['order', version.steps.map(({ key }) => key).join(', ')],
    ]),
  );
  for (const { key, operation, needs, parameters } of version.steps) {
    const fields: [string, string][] = [
      ['analysis', getStep(operation).title],
      ['after', needs.length > 0 ? needs.join(', ') : 'nothing'],
      ...flatten(parameters),
    ];
    lines.set(`Step ${key}`, new Map(fields));
  }
  for (const { key, measure, comparison, limit, unit, guardBand } of version.gates) {
    lines.set(
      `Gate ${key}`,
      new Map([
        ['measure', measureWords(measure, version)],
        ['limit', `${comparisonWords[comparison]} ${limit} ${unit}`.trim()],
        ['guard band', guardBand === null ? 'uncertainty' : `±${guardBand} ${unit}`.trim()],
      ]),
    );
  }
  return lines;
}

export function compareVersions(before: RecipeVersion, after: RecipeVersion): DiffLine[] {
  const [old, now] = [listLines(before), listLines(after)];
  const subjects = [...new Set([...old.keys(), ...now.keys()])];
  return subjects.flatMap((subject) => {
    const [oldFields, newFields] = [old.get(subject), now.get(subject)];
    const fields = [...new Set([...(oldFields?.keys() ?? []), ...(newFields?.keys() ?? [])])];
    return fields.flatMap((field): DiffLine[] => {
      const line = {
        subject,
        field,
        before: oldFields?.get(field) ?? null,
        after: newFields?.get(field) ?? null,
      };
      return line.before === line.after ? [] : [line];
    });
  });
}
