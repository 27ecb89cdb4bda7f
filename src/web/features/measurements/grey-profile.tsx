import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import uPlot from 'uplot';
import { chooseUnit, formatIn, formatNumber, formatQuantity } from '#contract/base/format-number.ts';
import { writeCsv } from '#formats/csv/write-csv.ts';
import { readDataSlice } from '#web/api/generated/sdk.gen.ts';
import type { Measurement } from '#web/api/generated/types.gen.ts';
import { plotBase, readColour } from '#web/ui/plot-axes.ts';
import { type DrawPlot, PlotFrame } from '#web/ui/plot-frame.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { describeLine } from './draft.ts';

/** Grey values along the line of a measurement, at the full resolution of the scan. */
export function GreyProfile({ dataObjectId, points, result }: Measurement) {
  const { voxelSizeMm } = result.provenance;
  const [from, to] = points;
  const profile = useQuery({
    queryKey: ['greyProfile', dataObjectId, points],
    enabled: from !== undefined && to !== undefined && voxelSizeMm !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      if (!from || !to || !voxelSizeMm) throw new Error('The line has no ends.');
      const { query, lengthMm } = describeLine(from, to, Math.min(...voxelSizeMm));
      const path = { id: dataObjectId };
      const { data } = await readDataSlice({ path, query, parseAs: 'arrayBuffer', signal });
      return { lengthMm, values: new Float32Array(data as unknown as ArrayBuffer) };
    },
  });
  if (voxelSizeMm === null) return <Text size="xs">Grey values need a volume.</Text>;
  if (profile.error && !profile.data) return <ProblemAlert query={profile} />;
  if (!profile.data) return <Skeleton height={190} />;
  return <Plot {...profile.data} />;
}

function Plot({ values, lengthMm }: { values: Float32Array; lengthMm: number }) {
  const lengthShown = chooseUnit([lengthMm], 'mm');
  const seen = values.filter(Number.isFinite);
  const places = Array.from(values, (_, i) => (lengthMm * i) / (values.length - 1));
  const titles = { x: `position on the line, ${lengthShown.unit}`, y: 'grey value' };
  const draw: DrawPlot = (host, size, onPoint) =>
    new uPlot(
      {
        ...size,
        ...plotBase(host, titles, {
          x: (value) => formatIn(lengthShown, value),
          y: (value) => formatNumber(value),
        }),
        scales: { x: { time: false } },
        series: [{}, { stroke: readColour(host, '--sw-accent-text'), width: 1.5, points: { show: false } }],
        hooks: {
          setCursor: [({ cursor: { left, idx } }) => onPoint((left ?? -1) < 0 ? null : (idx ?? null))],
        },
      },
      // A sample outside the scan has no grey value and leaves a gap in the line.
      [places, Array.from(values, (value) => (Number.isFinite(value) ? value : null))],
      host,
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing depends on these alone
  const drawn = useCallback(draw, [values, lengthMm]);
  if (seen.length === 0) return <Text size="xs">The line is outside the scan.</Text>;
  const [low, high] = [Math.min(...seen), Math.max(...seen)];
  return (
    <PlotFrame
      name="grey profile"
      fileName="grey-profile"
      summary={`Grey values along the line, from ${formatNumber(low, 0)} to ${formatNumber(high, 0)}`}
      draw={drawn}
      describe={(i) => `${formatQuantity(places[i] ?? 0, 'mm')}: ${formatNumber(values[i] ?? Number.NaN, 0)}`}
      writeCsv={() =>
        writeCsv([
          ['position on the line, mm', 'grey value'],
          ...places.map((placeMm, i) => [placeMm, Number.isFinite(values[i]) ? (values[i] ?? null) : null]),
        ])
      }
    />
  );
}
