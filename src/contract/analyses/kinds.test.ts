import { expect, it } from 'vitest';
import { operationTitle } from './kinds.ts';

it('has a title for each operation, and none for one of a version to come', () => {
  expect(operationTitle('runWallThickness')).toBe('Wall thickness');
  expect(operationTitle('ingest')).toBe('Import');
  expect(operationTitle('runFatigueForecast')).toBeNull();
});
