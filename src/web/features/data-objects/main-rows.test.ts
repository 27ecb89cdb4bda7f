import { expect, it } from 'vitest';
import { mainRows } from './main-rows.ts';

it('puts what matters of a volume first and shows all of a kind that it does not know', () => {
  const metadata = { histogram: { counts: [1] }, dataType: 'uint8', dimensions: [1, 2, 3] };
  expect(mainRows('volume', metadata).map(({ label }) => label)).toEqual(['Dimensions', 'Data type']);
  expect(mainRows('report', metadata)).toHaveLength(3);
});
