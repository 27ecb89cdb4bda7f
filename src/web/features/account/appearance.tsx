import { Group, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { type Density, useDensity } from '#web/ui/density.ts';

/** Colour scheme and row density. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [density, setDensity] = useDensity();
  return (
    <Stack gap="sm">
      <Group justify="space-between" maw={420}>
        <Text id="theme-label">Theme</Text>
        <SegmentedControl
          aria-labelledby="theme-label"
          data={[
            { value: 'auto', label: 'Same as system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
        />
      </Group>
      <Group justify="space-between" maw={420}>
        <Text id="density-label">Table rows</Text>
        <SegmentedControl
          aria-labelledby="density-label"
          data={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
          value={density}
          onChange={(value) => setDensity(value as Density)}
        />
      </Group>
    </Stack>
  );
}
