/** All families of scans that no method was fitted to. */
import type { Family } from './family.ts';
import { flawedFamilies } from './flawed-families.ts';
import { machinedFamilies } from './machined-families.ts';
import { partFamilies } from './part-families.ts';
import { scannerFamilies } from './scanner-families.ts';
import { simulatedFamilies } from './simulated.ts';
import { texturedFamilies } from './textured-families.ts';

export const families: readonly Family[] = [
  ...partFamilies,
  ...machinedFamilies,
  ...texturedFamilies,
  ...scannerFamilies,
  ...flawedFamilies,
  ...simulatedFamilies,
];
