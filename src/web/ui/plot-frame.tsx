import { Button, Group, Modal, Text, useComputedColorScheme } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { IconArrowsMaximize, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
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
}

const heightsPx = { small: 172, large: 420 };
const pictureSizePx = { width: 1200, height: 600 };

/** A plot with the value under the pointer below it; can be enlarged, and saved as a picture or as CSV. */
export function PlotFrame({ name, fileName, summary, draw, describe, writeCsv }: PlotFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isLarge, { open, close }] = useDisclosure(false);
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const savePicture = async () => {
    if (frame.current) saveFile(await drawPicture(frame.current, draw), numbersFileName([fileName], 'png'));
  };
  const saveTable = () =>
    saveFile(new Blob([writeCsv()], { type: 'text/csv;charset=utf-8' }), numbersFileName([fileName], 'csv'));
  const plot = { summary, draw, describe };
  return (
    <div ref={frame}>
      <Plot {...plot} heightPx={heightsPx.small} />
      <Group gap={6} justify="flex-end">
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconArrowsMaximize size={12} aria-hidden />}
          aria-label={`Enlarge the ${name}`}
          onClick={open}
        >
          Enlarge
        </Button>
        {[
          { ending: 'PNG', save: () => void savePicture() },
          { ending: 'CSV', save: saveTable },
        ].map(({ ending, save }) => (
          <Button
            key={ending}
            variant="default"
            size="compact-xs"
            leftSection={<IconDownload size={12} aria-hidden />}
            aria-label={`${title} as ${ending}`}
            onClick={save}
          >
            {ending}
          </Button>
        ))}
      </Group>
      <Modal opened={isLarge} onClose={close} size="80rem" title={title}>
        <Plot {...plot} heightPx={heightsPx.large} />
      </Modal>
    </div>
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
async function drawPicture(beside: HTMLElement, draw: DrawPlot): Promise<Blob> {
  const host = document.createElement('div');
  host.style.cssText = 'position: fixed; left: -9999px; top: 0';
  beside.append(host);
  const plot = draw(host, pictureSizePx, () => undefined);
  await new Promise(requestAnimationFrame);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [plot.ctx.canvas.width, plot.ctx.canvas.height];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser could not create a 2D canvas for the picture.');
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot.ctx.canvas, 0, 0);
  plot.destroy();
  host.remove();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be created.'))));
  });
}
