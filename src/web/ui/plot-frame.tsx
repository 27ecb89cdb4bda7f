import { Button, Group, Modal, Text, useComputedColorScheme } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { IconArrowsMaximize, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { capitalised } from '#contract/base/format-number.ts';
import { numbersFileName } from './number-files.ts';
import { saveFile } from './save-file.ts';

/** Draws into an element; calls `onPoint` with the index of the value under the pointer, null = none. */
export type DrawPlot = (
  host: HTMLElement,
  size: { width: number; height: number },
  onPoint: (index: number | null) => void,
) => uPlot;

interface PlotFrameProps {
  /** as in “Enlarge the histogram of deviation” */
  name: string;
  /** of saved files, without extension */
  fileName: string;
  /** text description of the plot for screen readers */
  summary: string;
  /** redraws whenever the function changes */
  draw: DrawPlot;
  /** describes one of the values */
  describe: (index: number) => string;
  /** the values as CSV */
  writeCsv: () => string;
  heightPx?: number;
}

const heightsPx = { small: 172, large: 420 };
const pictureSizePx = { width: 1200, height: 600 };

/** A plot with the value under the pointer below it; can be enlarged, and saved as a picture or as CSV. */
export function PlotFrame({ name, fileName, writeCsv, heightPx = heightsPx.small, ...plot }: PlotFrameProps) {
  const { draw } = plot;
  const frame = useRef<HTMLDivElement>(null);
  const [isLarge, { open, close }] = useDisclosure(false);
  const savePicture = async () => {
    if (frame.current) await savePlot(await drawPicture(frame.current, draw), fileName);
  };
  const saveTable = () =>
    saveFile(new Blob([writeCsv()], { type: 'text/csv;charset=utf-8' }), numbersFileName([fileName], 'csv'));
  return (
    <div ref={frame}>
      <Plot {...plot} heightPx={heightPx} />
      <PlotActions name={name} onEnlarge={open} onPicture={() => void savePicture()} onTable={saveTable} />
      <Modal opened={isLarge} onClose={close} size="80rem" title={capitalised(name)}>
        <Plot {...plot} heightPx={heightsPx.large} />
      </Modal>
    </div>
  );
}

interface PlotActionsProps {
  /** as in “Enlarge the histogram of deviation” */
  name: string;
  onEnlarge: () => void;
  onPicture: () => void;
  onTable: () => void;
  /** takes less width */
  isSmall?: boolean;
}

/** The buttons below a plot. */
export function PlotActions({ name, onEnlarge, onPicture, onTable, isSmall = false }: PlotActionsProps) {
  const files = [
    { ending: 'PNG', save: onPicture },
    { ending: 'CSV', save: onTable },
  ];
  return (
    <Group gap={isSmall ? 4 : 6} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-xs"
        leftSection={isSmall ? null : <IconArrowsMaximize size={12} aria-hidden />}
        aria-label={`Enlarge the ${name}`}
        title={isSmall ? 'Enlarge' : undefined}
        onClick={onEnlarge}
      >
        {isSmall ? <IconArrowsMaximize size={12} aria-hidden /> : 'Enlarge'}
      </Button>
      {files.map(({ ending, save }) => (
        <Button
          key={ending}
          variant="default"
          size="compact-xs"
          leftSection={isSmall ? null : <IconDownload size={12} aria-hidden />}
          aria-label={`${capitalised(name)} as ${ending}`}
          onClick={save}
        >
          {ending}
        </Button>
      ))}
    </Group>
  );
}

/** Uses the available width. */
function Plot({
  draw,
  summary,
  describe,
  heightPx,
}: Pick<PlotFrameProps, 'draw' | 'summary' | 'describe'> & { heightPx: number }) {
  const { ref: frame, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const [index, setIndex] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the colour scheme
  useEffect(() => {
    if (!host.current || width < 40) return;
    const plot = draw(host.current, { width, height: heightPx }, setIndex);
    return () => plot.destroy();
  }, [draw, width, heightPx, scheme]);
  return (
    <div ref={frame}>
      <div ref={host} role="img" aria-label={summary} style={{ height: heightPx }} />
      <Text size="xs" c="dimmed" h={18} aria-hidden>
        {index !== null && describe(index)}
      </Text>
    </div>
  );
}

/** Renders the plot off screen as a picture of fixed size, with the background of the page. */
async function drawPicture(beside: HTMLElement, draw: DrawPlot): Promise<HTMLCanvasElement> {
  const host = document.createElement('div');
  host.style.cssText = 'position: fixed; left: -9999px; top: 0';
  beside.append(host);
  const plot = draw(host, pictureSizePx, () => undefined);
  await new Promise(requestAnimationFrame);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [plot.ctx.canvas.width, plot.ctx.canvas.height];
  canvas.getContext('2d')?.drawImage(plot.ctx.canvas, 0, 0);
  plot.destroy();
  host.remove();
  return canvas;
}

/** Saves a drawn plot as PNG, with the background of the page. */
export async function savePlot(canvas: HTMLCanvasElement, fileName: string): Promise<void> {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser could not create a 2D canvas for the picture.');
  context.resetTransform();
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error('The picture could not be created.');
  saveFile(blob, numbersFileName([fileName], 'png'));
}
