/**
 * The value that would stand at place n if all were in ascending order; O(length), by selection (Hoare 1961,
 * doi:10.1145/366622.366647). Leaves the values in another order.
 */
export function selectNth(values: Float32Array | Float64Array, n: number): number {
  let left = 0;
  let right = values.length - 1;
  let random = 1;
  while (left < right) {
    // From anywhere: no order of the values makes it slow.
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
 * The value in the middle of the order, of two the upper one; undefined of nothing. What is no number comes last in the order, as in
 * that of typed arrays: it can't be compared, and would leave the others in any order.
 */
export const computeMedian = (values: ArrayLike<number>): number => {
  const numbers = Float64Array.from(values).filter((value) => !Number.isNaN(value));
  const middle = values.length >> 1;
  return middle < numbers.length || values.length === 0 ? selectNth(numbers, middle) : Number.NaN;
};
