import { expect, it } from 'vitest';
import { seededRandom } from './random.ts';
import { computeMedian, selectNth } from './select-nth.ts';

const seed = Number(process.env['SCANWRIGHT_SEED']);
const inTheMiddle = (values: Float64Array) => Float64Array.from(values).sort()[values.length >> 1];

it('the median is what stands in the middle of the sorted values', () => {
  const random = seededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const kinds = 1 + Math.floor(200 * random());
    const values = Float64Array.from({ length: 1 + Math.floor(60 * random()) }, () => {
      const value = Math.floor(kinds * random()) - 3;
      return value < -1 ? Number.POSITIVE_INFINITY : value / 7;
    });
    expect(computeMedian(values), `seed ${seed}, ${values}`).toBe(inTheMiddle(values));
    const n = Math.floor(values.length * random());
    const nth = Float64Array.from(values).sort()[n];
    expect(selectNth(Float64Array.from(values), n), `seed ${seed}, ${n} of ${values}`).toBe(nth);
  }
});

it('the median takes no longer where the values are in an order', () => {
  const count = 200_000;
  const orders: ((i: number) => number)[] = [
    (i) => i,
    (i) => -i,
    (i) => Math.min(i, count - i),
    (i) => Math.max(i, count - i),
    () => 1,
    (i) => i % 2,
  ];
  for (const order of orders) {
    const values = Float64Array.from({ length: count }, (_, i) => order(i));
    const expected = inTheMiddle(values);
    expect(computeMedian(values)).toBe(expected);
  }
}, 20_000);

it('what is no number comes last in the order, and leaves the others theirs', () => {
  const random = seededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const values = Float64Array.from({ length: 1 + Math.floor(60 * random()) }, () =>
      random() < 0.3 ? Number.NaN : random(),
    );
    expect(computeMedian(values), `seed ${seed}, of ${values}`).toBe(inTheMiddle(values));
  }
  expect(computeMedian([])).toBeUndefined();
});
