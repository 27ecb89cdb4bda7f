import { Title } from '@mantine/core';
import type { z } from 'zod';
import { Figures } from './figures.tsx';
import { type PercentilesMm, percentileNames } from './percentile-names.ts';

interface PercentilesProps {
  /** of what, as in “wall thickness” */
  of: string;
  valuesMm: z.infer<typeof PercentilesMm>;
  mm: (value: number | undefined) => string;
}

/** Values that so many percent of the surface lie below. */
export function Percentiles({ of, valuesMm, mm }: PercentilesProps) {
  return (
    <section aria-label="Percentiles">
      <Title order={3} size="h3" mb={4}>
        Percentiles, by area
      </Title>
      <Figures
        label={`Percentiles of ${of}`}
        figures={percentileNames.map((name) => ({
          label: `${name.slice(1)}\u2009%`,
          value: mm(valuesMm[name]),
        }))}
      />
    </section>
  );
}
