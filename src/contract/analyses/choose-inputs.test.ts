import { expect, it } from 'vitest';
import { chooseReference, chooseSource } from './choose-inputs.ts';
import type { DataObjectKind } from './data-kinds.ts';

/** Parses `volume old` into kind and id; a trailing `!` means not completed. */
const readObject = (text: string) => {
  const [kind = '', id = ''] = text.replace('!', '').split(' ');
  return { kind, id, status: text.endsWith('!') ? 'processing' : 'completed' };
};

it.each<
  [objects: string[], kinds: DataObjectKind[], reference: string | undefined, chosen: string | undefined]
>([
  [['volume new', 'volume old'], ['volume'], undefined, 'new'],
  [['mesh new', 'volume old'], ['volume', 'mesh'], undefined, 'old'],
  [['mesh new', 'volume old'], ['mesh', 'volume'], undefined, 'new'],
  [['volume new!', 'volume old'], ['volume'], undefined, 'old'],
  [['volume new', 'mesh old'], ['volume', 'mesh'], 'new', 'old'],
  [['cad new'], ['volume', 'mesh'], undefined, undefined],
  [['volume new'], [], undefined, undefined],
  [[], ['volume'], undefined, undefined],
])('from %j, an analysis of %j with reference %s uses %s', (objects, kinds, reference, chosen) => {
  expect(chooseSource(objects.map(readObject), kinds, reference)?.id).toBe(chosen);
});

it.each<[objects: string[], own: string[], chosen: string | undefined]>([
  [['cad new', 'cad old'], [], 'new'],
  [['cad new', 'cad old'], ['new'], 'old'],
  [['cad new!', 'cad old'], [], 'old'],
  [['mesh new', 'volume old'], [], undefined],
  [['cad new'], ['new'], undefined],
])('from %j, of which %j come from the part itself, the reference is %s', (objects, own, chosen) => {
  expect(chooseReference(objects.map(readObject), new Set(own))?.id).toBe(chosen);
});
