import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { surfaceMesh } from '#contract/analyses/create-mesh.ts';
import { type Field, listFields } from '#contract/analyses/fields.ts';
import { meshCompare } from '#contract/analyses/mesh-compare.ts';
import { analyses } from '#contract/analyses/registry.ts';
import { wallThickness as declared } from '#contract/analyses/wall-thickness.ts';
import {
  describeLimits,
  errorsFromService,
  findErrors,
  initialValues,
  isShown,
  toParameters,
} from './form-model.ts';

const wallThickness = declared.parameters;
const fields = listFields(wallThickness);
const byKey = (key: string, of: Field[] = fields): Field => {
  const field = of.find((candidate) => candidate.key === key);
  if (!field) throw new Error(`no field ${key} among ${of.map((each) => each.key).join(', ')}`);
  return field;
};

describe('Fields from a schema of the contract', () => {
  it('have the title, unit, limits, default and group of a number', () => {
    expect(byKey('searchAngleDeg')).toMatchObject({
      kind: 'number',
      title: 'Search angle',
      unit: '°',
      default: 0,
      advanced: true,
      required: false,
      limits: { minimum: 0, maximum: 60, exclusiveMinimum: false, exclusiveMaximum: false },
    });
    expect(describeLimits(byKey('searchAngleDeg'))).toBe('0 to 60°');
    expect(describeLimits(byKey('minThicknessMm'))).toBe('above 0\u202fmm');
  });

  it('flatten nested objects and use the default of the outer object', () => {
    expect(byKey('surface.mode')).toMatchObject({
      kind: 'choice',
      options: ['local', 'iso50', 'otsu', 'value'],
      default: 'local',
    });
    const outer = z.strictObject({
      inner: z.strictObject({ size: z.number().default(1) }).default({ size: 7 }),
    });
    expect(byKey('inner.size', listFields(outer)).default).toBe(7);
  });

  it('show a value only for the choice that requires it', () => {
    const value = byKey('surface.value');
    expect(value.onlyWhen).toEqual({ key: 'surface.mode', values: ['value'] });
    expect(isShown(value, { 'surface.mode': 'iso50' })).toBe(false);
    expect(isShown(value, { 'surface.mode': 'value' })).toBe(true);
  });

  it('take labels and conditions from the declaration', () => {
    expect(byKey('method').words).toEqual({ sphere: 'Sphere', ray: 'Ray' });
    expect(byKey('surface.mode').words).toMatchObject({ iso50: 'ISO 50' });
    expect(byKey('formats', listFields(surfaceMesh.parameters)).words).toMatchObject({ '3mf': '3MF' });
    expect(isShown(byKey('searchAngleDeg'), { method: 'sphere' })).toBe(false);
    expect(isShown(byKey('searchAngleDeg'), { method: 'ray' })).toBe(true);
  });

  it('recognise boxes, formats and references to data objects', () => {
    expect(byKey('region').kind).toBe('box');
    expect(byKey('sourceDataObjectId').kind).toBe('dataObject');
    expect(byKey('formats', listFields(surfaceMesh.parameters))).toMatchObject({
      kind: 'choices',
      options: ['glb', 'stl', 'ply', '3mf'],
      default: ['glb'],
    });
    expect(byKey('referenceDataObjectId', listFields(meshCompare.parameters)).kind).toBe('dataObject');
  });

  it.each(analyses)('give $key a form whose defaults satisfy the schema', (analysis) => {
    const schema = analysis.parameters;
    const own = listFields(schema);
    expect(own.length).toBeGreaterThan(0);
    const complaints = Object.keys(findErrors(schema, own, initialValues(own)));
    const required = own.filter((field) => field.required).map((field) => field.key);
    expect(complaints.filter((key) => !required.includes(key))).toEqual([]);
  });
});

describe('The values of a form', () => {
  it('send visible, non-empty fields, nested as in the contract', () => {
    const values = { ...initialValues(fields), 'surface.mode': 'value', 'surface.value': 1200 };
    expect(toParameters(fields, values)).toEqual({
      method: 'sphere',
      noiseFilter: 'none',
      smoothing: 'auto',
      surface: { mode: 'value', value: 1200 },
    });
    expect(toParameters(fields, { ...values, method: 'ray' })).toMatchObject({ searchAngleDeg: 0 });
    expect(toParameters(fields, { ...values, 'surface.mode': 'otsu' })).toMatchObject({
      surface: { mode: 'otsu' },
    });
  });

  it('start from the parameters of an earlier run', () => {
    const values = initialValues(fields, { method: 'ray', surface: { mode: 'otsu' }, minThicknessMm: 0.8 });
    expect(values).toMatchObject({
      method: 'ray',
      'surface.mode': 'otsu',
      minThicknessMm: 0.8,
      smoothing: 'auto',
    });
  });
});

describe('The errors of a form', () => {
  it('state the limits at the field that violates them', () => {
    expect(findErrors(wallThickness, fields, { ...initialValues(fields), minThicknessMm: -1 })).toEqual({
      minThicknessMm: 'Must be above 0\u202fmm',
    });
    const ray = { ...initialValues(fields), method: 'ray' };
    expect(findErrors(wallThickness, fields, { ...ray, searchAngleDeg: 61 })).toEqual({
      searchAngleDeg: 'Must be 0 to 60°',
    });
  });

  it('ask for the fields that the chosen mode requires', () => {
    expect(findErrors(wallThickness, fields, { ...initialValues(fields), 'surface.mode': 'value' })).toEqual({
      'surface.value': 'The mode “value” needs a grey value',
    });
  });

  it('include the cross-field rules of the contract', () => {
    const values = { ...initialValues(fields), minThicknessMm: 3, maxThicknessMm: 2 };
    expect(findErrors(wallThickness, fields, values)).toEqual({
      maxThicknessMm: 'The maximum must be greater than the minimum',
    });
  });

  it('show a problem from the service at its field, and others above the form', () => {
    expect(
      errorsFromService(fields, {
        detail: 'Two fields are wrong.',
        errors: [
          { field: 'surface.value', detail: 'not in the range of the volume' },
          { field: 'elsewhere', detail: 'unknown' },
        ],
      }),
    ).toEqual({ 'surface.value': 'Not in the range of the volume', '': 'Unknown' });
    expect(errorsFromService(fields, { detail: 'The project has no volume.' })).toEqual({
      '': 'The project has no volume.',
    });
  });
});
