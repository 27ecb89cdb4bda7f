/**
 * The n-th value in ascending order; O(length) by selection (Hoare 1961, doi:10.1145/366622.366647). Reorders the
 * values.
 */
export function selectNth(values: Float32Array | Float64Array, n: number): number {
  let left = 0;
  let right = values.length - 1;
  let random = 1;
  while (left < right) {
    // A random pivot: no order of the values makes it slow.
    random = (random * 48271) % 2147483647;
    const pivot = values[left + (random % (right - left + 1))];
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (n <= j) right = j;
    else if (n >= i) left = i;
    else break;
  }
  return values[n];
}

/**
 * The median, of two the upper one; undefined for an empty list. NaN values sort last, as in typed arrays: they cannot
 * be compared and would otherwise break the order of the others.
 */
export const computeMedian = (values: ArrayLike<number>): number => {
  const numbers = Float64Array.from(values).filter((value) => !Number.isNaN(value));
  const middle = values.length >> 1;
  return middle < numbers.length || values.length === 0 ? selectNth(numbers, middle) : Number.NaN;
};
