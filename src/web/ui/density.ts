import { useLocalStorage } from '@mantine/hooks';

export type Density = 'comfortable' | 'compact';

/** Row density of tables, stored in this browser. */
export const useDensity = () =>
  useLocalStorage<Density>({
    key: 'scanwright.density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
    deserialize: (value) => (value === '"compact"' ? 'compact' : 'comfortable'),
  });
