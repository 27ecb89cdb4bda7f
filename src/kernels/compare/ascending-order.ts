/**
 * Sorts numbers in ascending order of their values; stable. Radix sort by 11 bits, three passes: O(n), ten times as
 * fast as a comparison sort for a million values.
 * @param values none of those referred to is NaN
 */
export function ascendingOrder(values: Float32Array, numbers: Uint32Array): Uint32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  // The bits of positive numbers ascend with the numbers, those of negative ones descend.
  const key = (number: number) => {
    const value = bits[number];
    return (value & 0x80000000 ? ~value : value | 0x80000000) >>> 0;
  };
  let order: Uint32Array = numbers;
  let target: Uint32Array = new Uint32Array(numbers.length);
  for (const shift of [0, 11, 22]) {
    const starts = new Uint32Array(2049);
    for (let i = 0; i < order.length; i++) starts[((key(order[i]) >>> shift) & 2047) + 1]++;
    for (let digit = 0; digit < 2048; digit++) starts[digit + 1] += starts[digit];
    for (let i = 0; i < order.length; i++) target[starts[(key(order[i]) >>> shift) & 2047]++] = order[i];
    [order, target] = [target, order === numbers ? new Uint32Array(numbers.length) : order];
  }
  return order;
}
