import { findShownPlaces } from '#contract/analyses/data-kinds.ts';
import { describeColumn } from '#contract/analyses/place-columns.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import type { PlaceSource } from '#web/viewer/state/places.ts';
import { fileAddress } from './queries.ts';

/** All locations of a data object whose surface shows them; null if no file lists them. */
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
      // Parsed in chunks, so that the page never freezes on a table of a hundred thousand rows.
      const texts = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const reader = new PlaceReader();
      for (let piece = await texts.read(); !piece.done; piece = await texts.read()) reader.push(piece.value);
      return reader.finish((name) => describeColumn(places, name));
    },
  };
}
