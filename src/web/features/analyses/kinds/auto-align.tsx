import { Stack } from '@mantine/core';
import { IconTransform } from '@tabler/icons-react';
import { autoAlign } from '#contract/analyses/auto-align.ts';
import { formatCount, formatQuantity } from '#contract/base/format-number.ts';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { MatrixTable } from './matrix-table.tsx';
import { measuredFigures } from './measured.ts';

function Alignment({
  dataObject: { metadata: result },
}: ResultProps<DataObjectOfKind<typeof autoAlign.makes>>) {
  return (
    <Stack gap="sm">
      <Figures
        label="Alignment"
        figures={[
          ...measuredFigures(autoAlign, result),
          {
            label: 'Ambiguous pose',
            value: result.ambiguous ? 'yes' : 'no',
            help: 'Whether the part is symmetric enough to fit in another orientation as well.',
          },
          { label: 'Iterations', value: formatCount(result.iterations) },
        ]}
      />
      <MatrixTable matrix={result.matrix} />
    </Stack>
  );
}

export const autoAlignPage = definePage(autoAlign, {
  icon: IconTransform,
  headline: ({ rmsMm, ambiguous }) =>
    `${formatQuantity(rmsMm, 'mm')} RMS${ambiguous ? ', ambiguous pose' : ''}`,
  Result: Alignment,
});
