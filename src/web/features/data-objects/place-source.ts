import { findShownPlaces } from '#contract/analyses/data-kinds.ts';
import type { PlaceList } from '#contract/analyses/declaration.ts';
import { listUnits } from '#contract/analyses/quantities.ts';
import { type ColumnDescription, PlaceReader } from '#kernels/places/read-places.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import type { PlaceSource } from '#web/viewer/state/places.ts';
import { fileAddress } from './queries.ts';

const unitOfEnding: Record<string, string> = { Mm: 'mm', Mm2: 'mm²', Mm3: 'mm³' };
/** The corners of a place's box, its middle and its shadows. */
const minor = /^(min|max|center|projectedArea)[XYZ]Mm2?$/;

/** How a column of the table of places is shown: as it was declared, else by its name. */
export function describeColumn({ columns }: Pick<PlaceList, 'columns'>, name: string): ColumnDescription {
  const rank = columns.findIndex(({ path }) => path === name);
  const declared = columns[rank];
  if (declared) {
    const { title, quantity, words } = declared;
    return { title, unit: quantity ? listUnits(quantity)[0] : '', rank, ...(words ? { words } : {}) };
  }
  if (name === 'id') return { title: 'No.', unit: '', rank: -1 };
  const [, stem, ending = ''] = /^(.*?)(Mm[23]?)?$/.exec(name) ?? [];
  const words = (stem ?? name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { title, unit: unitOfEnding[ending] ?? '', isMinor: minor.test(name) };
}

/** All places of a data object whose surface shows them; null where it has no file with them. */
export function listPlaces(dataObject: DataObject): PlaceSource | null {
  const shown = findShownPlaces(dataObject);
  if (!shown) return null;
  const { places, fileName, attribute } = shown;
  if (!dataObject.files.some((file) => file.fileName === fileName)) return null;
  return {
    title: places.title,
    noun: places.noun,
    attribute,
    load: async (signal) => {
      const { url } = await fileAddress(dataObject.id, fileName, signal);
      const response = await fetch(resolveAddress(url), { signal });
      if (!response.ok || !response.body)
        throw new Error(`${fileName} could not be loaded: the service answered ${response.status}.`);
      // Piece by piece, so that the page never stands still over a table of a hundred thousand rows.
      const texts = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const reader = new PlaceReader();
      for (let piece = await texts.read(); !piece.done; piece = await texts.read()) reader.push(piece.value);
      return reader.finish((name) => describeColumn(places, name));
    },
  };
}
