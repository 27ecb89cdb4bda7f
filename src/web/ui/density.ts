import { useLocalStorage } from '@mantine/hooks';

export type Density = 'comfortable' | 'compact';

/** Density of tables, remembered in this browser. */
export const useDensity = () =>
  useLocalStorage<Density>({
    key: 'scanwright.density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
    deserialize: (value) => (value === '"compact"' ? 'compact' : 'comfortable'),
  });
