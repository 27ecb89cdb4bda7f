/**
 * The value in the middle of the order, of two the upper one; O(n), by selection (Hoare 1961, doi:10.1145/366622.366647).
 * Leaves the values in another order.
 */
export function medianOf(values: Float64Array): number {
  const middle = values.length >> 1;
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
    if (middle <= j) right = j;
    else if (middle >= i) left = i;
    else break;
  }
  return values[middle];
}
