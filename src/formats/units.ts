import { lookUp } from './look-up.ts';

/** Units that a caller may state for files without one. */
export type LengthUnit = 'um' | 'mm' | 'cm' | 'm' | 'inch';

export const mmPerUnit: Record<LengthUnit, number> = { um: 0.001, mm: 1, cm: 10, m: 1000, inch: 25.4 };

const spellings: Record<string, number> = {
  nm: 1e-6,
  nanometer: 1e-6,
  nanometre: 1e-6,
  um: 1e-3,
  micron: 1e-3,
  micrometer: 1e-3,
  micrometre: 1e-3,
  mm: 1,
  millimeter: 1,
  millimetre: 1,
  cm: 10,
  centimeter: 10,
  centimetre: 10,
  dm: 100,
  m: 1000,
  meter: 1000,
  metre: 1000,
  in: 25.4,
  inch: 25.4,
  inches: 25.4,
  '"': 25.4,
  mil: 0.0254,
  thou: 0.0254,
  ft: 304.8,
  foot: 304.8,
  feet: 304.8,
};

/** mm per unit as spelled in files (`µm`, `\u00B5m`, `microns`, `Millimeters`); undefined if unknown. */
export function mmPerNamedUnit(name: string): number | undefined {
  const plain = name
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
    .replace(/\\u00b5|[\u00b5\u03bc]/g, 'u');
  return lookUp(spellings, plain) ?? lookUp(spellings, plain.replace(/s$/, ''));
}
