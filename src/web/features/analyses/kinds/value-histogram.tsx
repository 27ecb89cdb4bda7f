import { Button, Group, Modal, Text, useComputedColorScheme } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { IconArrowsMaximize, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { chooseUnit, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { numbersFileName } from '#web/ui/number-files.ts';
import { saveFile } from '#web/ui/save-file.ts';
import { computeShare, histogramCsv } from './histogram-steps.ts';
import { type HistogramLook, plotHistogram } from './plot-histogram.ts';

interface ValueHistogramProps {
  /** one more than `amounts`, rising */
  edgesMm: readonly number[];
  /** how much is in each bin */
  amounts: readonly number[];
  /** what is counted, with its unit; surface by default */
  amountOf?: string;
  /** a limit to mark; null = none */
  markMm: number | null;
  /** what may be: shaded, with its limits */
  bandMm?: readonly [number, number];
  /** what is measured, as in “wall thickness” */
  quantity?: string;
}

const heightsPx = { small: 172, large: 420 };
const pictureSizePx = { width: 1200, height: 600 };

/** How much surface, or how many, have which value; the same stands beside it in words for who can't see it. */
export function ValueHistogram({
  edgesMm,
  amounts,
  amountOf = 'area, mm²',
  markMm,
  bandMm,
  quantity = 'wall thickness',
}: ValueHistogramProps) {
  const [lowerMm, upperMm] = bandMm ?? [null, null];
  const shown = chooseUnit(edgesMm, 'mm');
  const frame = useRef<HTMLDivElement>(null);
  const [isLarge, { open, close }] = useDisclosure(false);
  const titles = { x: `${quantity}, ${shown.unit}`, y: amountOf };
  const look = { edgesMm, amounts, shown, titles, markMm, lowerMm, upperMm };
  const peak = amounts.indexOf(Math.max(...amounts));
  const byArea = amountOf.startsWith('area');
  const summary = `Histogram of ${quantity}${byArea ? ' weighted by area' : ''}, from ${formatQuantities([...edgesMm.slice(0, 1), ...edgesMm.slice(-1)], 'mm', ' to ')}. Most of the ${byArea ? 'surface' : amountOf}, ${formatQuantity(computeShare(amounts, peak) * 100, '%')}, lies between ${formatQuantities(edgesMm.slice(peak, peak + 2), 'mm', ' and ')}.`;
  const savePicture = async () => {
    if (frame.current)
      saveFile(await drawPicture(frame.current, look), numbersFileName([quantity, 'histogram'], 'png'));
  };
  const saveTable = () => {
    const text = histogramCsv(edgesMm, amounts, `${quantity}, mm`, amountOf);
    saveFile(
      new Blob([text], { type: 'text/csv;charset=utf-8' }),
      numbersFileName([quantity, 'histogram'], 'csv'),
    );
  };
  return (
    <div ref={frame}>
      <Plot look={look} summary={summary} heightPx={heightsPx.small} />
      <Group gap={6} justify="flex-end">
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconArrowsMaximize size={12} aria-hidden />}
          aria-label={`Enlarge the histogram of ${quantity}`}
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
            aria-label={`Histogram of ${quantity} as ${ending}`}
            onClick={save}
          >
            {ending}
          </Button>
        ))}
      </Group>
      <Modal opened={isLarge} onClose={close} size="80rem" title={`Histogram of ${quantity}`}>
        <Plot look={look} summary={summary} heightPx={heightsPx.large} />
      </Modal>
    </div>
  );
}

/** The plot as wide as there is room, and under it what the bin under the pointer holds. */
function Plot({ look, summary, heightPx }: { look: HistogramLook; summary: string; heightPx: number }) {
  const { ref: frame, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const [bin, setBin] = useState<number | null>(null);
  const { edgesMm, amounts, markMm, lowerMm, upperMm } = look;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the style of the scheme
  useEffect(() => {
    if (!host.current || width < 40) return;
    const plot = plotHistogram(host.current, look, { width, height: heightPx }, setBin);
    return () => plot.destroy();
  }, [edgesMm, amounts, markMm, lowerMm, upperMm, width, heightPx, scheme]);
  const amount =
    bin === null ? null : `${look.titles.y.split(',')[0]} ${formatAmount(amounts[bin] ?? 0, look.titles.y)}`;
  return (
    <div ref={frame}>
      <div ref={host} role="img" aria-label={summary} style={{ height: heightPx }} />
      <Text size="xs" c="dimmed" h={18} aria-hidden>
        {bin !== null && `${formatQuantities(edgesMm.slice(bin, bin + 2), 'mm', ' to ')}: ${amount}`}
      </Text>
    </div>
  );
}

/** `12.3 mm²` of `area, mm²`; a count has no unit */
const formatAmount = (amount: number, title: string): string =>
  formatQuantity(amount, title.split(', ')[1] ?? '');

/** The plot as a picture of a fixed size, on the ground of the page; drawn where nobody sees it. */
async function drawPicture(beside: HTMLElement, look: HistogramLook): Promise<Blob> {
  const host = document.createElement('div');
  host.style.cssText = 'position: fixed; left: -9999px; top: 0';
  beside.append(host);
  const plot = plotHistogram(host, look, pictureSizePx, () => undefined);
  await new Promise(requestAnimationFrame);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [plot.ctx.canvas.width, plot.ctx.canvas.height];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gives no 2D canvas for the picture.');
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot.ctx.canvas, 0, 0);
  plot.destroy();
  host.remove();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.'))));
  });
}
