/** Text of a label pinned to a place, shared by the viewer and the service's renders. */
import { fixed, formatQuantity, withUnit } from '../base/format-number.ts';
import type { ViewState } from './view-state.ts';

export type Label = ViewState['labels'][number];

/** `2.418 mm` */
export const describeValue = ({ value, unit }: Label): string =>
  value === null ? 'not measured' : formatQuantity(value, unit);

/** `1.20, -3.41, 0.05 mm` */
export const describePlace = (pointMm: readonly [number, number, number]): string =>
  withUnit(pointMm.map((mm) => fixed(mm, 2)).join(', '), 'mm');

/** Two lines; a note comes first, followed by the value. */
export function describeLabel(label: Label): [string, string] {
  const { note, value, pointMm } = label;
  if (note === '') return [describeValue(label), describePlace(pointMm)];
  return [
    note,
    value === null ? describePlace(pointMm) : `${describeValue(label)} at ${describePlace(pointMm)}`,
  ];
}

/** Labels with their two lines of text, for drawing. */
export const listLabels = (labels: readonly Label[]) =>
  labels.map((label) => ({ pointMm: label.pointMm, words: describeLabel(label) }));
