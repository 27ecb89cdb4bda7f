import { useLocalStorage } from '@mantine/hooks';

export type Density = 'comfortable' | 'compact';

/** Height of a row of a table, px. */
export const rowHeightPx: Record<Density, number> = { comfortable: 36, compact: 28 };

/** Density of tables, remembered in this browser. */
export const useDensity = () =>
  useLocalStorage<Density>({
    key: 'scanwright.density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
    deserialize: (value) => (value === '"compact"' ? 'compact' : 'comfortable'),
  });
