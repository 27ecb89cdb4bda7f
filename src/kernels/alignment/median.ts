import { selectNth } from '../select-nth.ts';

/** The value in the middle of the order, of two the upper one; O(n). Leaves the values in another order. */
export const computeMedian = (values: Float64Array): number => selectNth(values, values.length >> 1);
