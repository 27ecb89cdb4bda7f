import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useState } from 'react';
import { formatNumber } from '#contract/base/format-number.ts';
import { readDataSlice } from '#web/api/generated/sdk.gen.ts';
import type { Measurement } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { describeLine } from './draft.ts';
import classes from './measurements.module.css';

const [width, height, left, bottom, top] = [300, 130, 46, 30, 8];

/** Grey values along the line of a measurement, in the full resolution of the scan. */
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
      const { data } = await readDataSlice({
        path,
        query,
        parseAs: 'arrayBuffer',
        signal,
        throwOnError: true,
      });
      return { lengthMm, values: new Float32Array(data as unknown as ArrayBuffer) };
    },
  });
  if (voxelSizeMm === null) return <Text size="xs">Grey values need a volume.</Text>;
  if (profile.error && !profile.data) return <ProblemAlert query={profile} />;
  if (!profile.data) return <Skeleton height={height} />;
  return <Plot {...profile.data} />;
}

function Plot({ values, lengthMm }: { values: Float32Array; lengthMm: number }) {
  const [at, setAt] = useState<number | null>(null);
  const seen = values.filter(Number.isFinite);
  if (seen.length === 0) return <Text size="xs">The line lies outside of the scan.</Text>;
  const [low, high] = [Math.min(...seen), Math.max(...seen)];
  const x = (i: number) => left + ((width - left - 8) * i) / (values.length - 1);
  const y = (value: number) =>
    height - bottom - ((height - bottom - top) * (value - low)) / (high - low || 1);
  const line = [...values].map((value, i) => (Number.isFinite(value) ? `${x(i)},${y(value)}` : '')).join(' ');
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * width - left) / (width - left - 8);
    setAt(share >= 0 && share <= 1 ? Math.round(share * (values.length - 1)) : null);
  };
  const placeMm = (i: number) => (lengthMm * i) / (values.length - 1);
  const read = at === null ? null : `${formatNumber(placeMm(at), 3)} mm: ${formatNumber(values[at], 0)}`;
  return (
    <figure className={classes.profile}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Grey values along the line, from ${formatNumber(low, 0)} to ${formatNumber(high, 0)}`}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
      >
        <path d={`M${left} ${top}V${height - bottom}H${width - 8}`} className={classes.axis} />
        <polyline points={line} className={classes.curve} />
        {at !== null && <path d={`M${x(at)} ${top}V${height - bottom}`} className={classes.axis} />}
        <text x={left - 4} y={top + 8} textAnchor="end">
          {formatNumber(high, 0)}
        </text>
        <text x={left - 4} y={height - bottom} textAnchor="end">
          {formatNumber(low, 0)}
        </text>
        <text x={left} y={height - bottom + 12}>
          0
        </text>
        <text x={width - 8} y={height - bottom + 12} textAnchor="end">
          {formatNumber(lengthMm, 3)}
        </text>
        <text x={(left + width) / 2} y={height - 4} textAnchor="middle">
          {read ?? 'Place on the line, mm; grey value'}
        </text>
      </svg>
    </figure>
  );
}
