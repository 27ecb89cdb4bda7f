import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ScanQuality, ShownName, ShownPlace } from '#contract/metadata/scan-quality.ts';
import type { VolumeFacts } from '#contract/metadata/volume.ts';
import { readDataSliceOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import classes from './finding-picture.module.css';

export type Grid = Pick<VolumeFacts, 'dimensions' | 'voxelSizeMm' | 'originMm' | 'directions'>;

interface FindingPictureProps {
  dataObjectId: string;
  grid: Grid;
  quality: ScanQuality;
  /** the finding */
  name: ShownName | undefined;
  /** description for screen readers */
  alt: string;
}

/** Axes of a plane: its normal, along its columns, along its rows. */
const planeAxes = { x: [0, 1, 2], y: [1, 0, 2], z: [2, 0, 1] } as const;

/** The plane of the scan that shows a finding best, with a mark on it; larger on demand. */
export function FindingPicture({ dataObjectId, grid, quality, name, alt }: FindingPictureProps) {
  const [isLarge, setLarge] = useState(false);
  const [across, columns, rows] = planeAxes[(name && quality.places?.[name]?.axis) ?? 'z'];
  const place: ShownPlace = (name && quality.places?.[name]) ?? {
    axis: 'z',
    index: Math.floor((grid.dimensions[across] ?? 0) / 2),
    boxes: [],
  };
  const [width, height] = [grid.dimensions[columns] ?? 1, grid.dimensions[rows] ?? 1];
  // Keeps the aspect ratio of the voxels.
  const [sx, sy] = [grid.voxelSizeMm[columns] ?? 1, grid.voxelSizeMm[rows] ?? 1];
  const [fromX, fromY, toX, toY] = place.crop ?? [0, 0, width, height];
  const frame = { x: fromX * sx, y: fromY * sy, width: (toX - fromX) * sx, height: (toY - fromY) * sy };
  const line = Math.max(frame.width, frame.height) / 90;
  const slice = useQuery(
    readDataSliceOptions({
      path: { id: dataObjectId },
      query: planQuery(grid, place, chooseWindow(quality, name)),
      parseAs: 'blob',
    }),
  );
  const address = useObjectUrl(slice.data);
  return (
    <UnstyledButton
      className={classes.picture}
      data-large={isLarge || undefined}
      aria-expanded={isLarge}
      aria-label={`${isLarge ? 'Smaller' : 'Larger'} picture: ${alt}`}
      onClick={() => setLarge(!isLarge)}
    >
      <svg
        role="img"
        aria-label={alt}
        viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
        preserveAspectRatio="xMidYMid meet"
      >
        {address && (
          <image href={address} width={width * sx} height={height * sy} preserveAspectRatio="none" />
        )}
        {place.boxes.map(([x0, y0, x1, y1]) => (
          <rect
            key={`${x0} ${y0}`}
            className={classes.mark}
            x={x0 * sx}
            y={y0 * sy}
            width={(x1 - x0) * sx}
            height={(y1 - y0) * sy}
            strokeWidth={line}
          />
        ))}
        {place.circleVoxels !== undefined && (
          <ellipse
            className={classes.mark}
            cx={(width / 2) * sx}
            cy={(height / 2) * sy}
            rx={place.circleVoxels * sx}
            ry={place.circleVoxels * sy}
            strokeWidth={line}
          />
        )}
      </svg>
      <Text size="xs" c="dimmed" ta="center">
        {slice.isError ? 'Picture not loaded' : `${place.axis.toUpperCase()} ${place.index + 1}`}
      </Text>
    </UnstyledButton>
  );
}

/** Object URL of bytes that require authorization: an <img> can't send the token. */
function useObjectUrl(content: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!content) return undefined;
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address;
}

function planQuery(grid: Grid, { axis, index }: ShownPlace, [windowMin, windowMax]: [number, number]) {
  const [across] = planeAxes[axis];
  const direction = grid.directions.slice(3 * across, 3 * across + 3);
  const start = direction.reduce((sum, each, k) => sum + each * (grid.originMm[k] ?? 0), 0);
  const positionMm = start + index * (grid.voxelSizeMm[across] ?? 1);
  return { axis, format: 'png' as const, positionMm, windowMin, windowMax };
}

/** Grey values shown as black and white, chosen so that the finding uses most of the range. */
export function chooseWindow(quality: ScanQuality, name: ShownName | undefined): [number, number] {
  const { airGrey, materials } = quality;
  const lightest = materials[0]?.grey ?? airGrey + 1;
  const contrast = lightest - airGrey;
  const around = (grey: number, share: number): [number, number] => [
    grey - share * contrast,
    grey + share * contrast,
  ];
  if (name === 'gradient') return around(airGrey, Math.max(0.1, quality.gradient ?? 0));
  if (name === 'uneven') return around(lightest, Math.max(0.1, quality.unevenness ?? 0));
  if (name === 'rings') return around(lightest, Math.max(0.1, 2 * (quality.rings ?? 0)));
  if (name === 'bands') return around(lightest, Math.max(0.1, 2 * (quality.bands ?? 0)));
  if (name === 'skin') return [airGrey, lightest + Math.max(0.3, 1.5 * (quality.skin ?? 0)) * contrast];
  const top = materials.at(-1)?.grey ?? lightest;
  return [airGrey - 0.15 * contrast, top + 0.15 * contrast];
}
