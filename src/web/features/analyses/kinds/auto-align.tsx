import { Stack } from '@mantine/core';
import { IconTransform } from '@tabler/icons-react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { readAlignmentMetadata } from './compare-result.ts';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { MatrixTable } from './matrix-table.tsx';
import { ResultWarnings } from './result-warnings.tsx';

function Alignment({ dataObject }: ResultProps) {
  const result = readAlignmentMetadata(dataObject.metadata);
  return (
    <Stack gap="sm">
      <ResultWarnings warnings={result.warnings} />
      <Figures
        label="Alignment"
        figures={[
          {
            label: 'RMS distance',
            value: formatQuantity(result.rmsMm, 'mm', 4),
            help: 'Root mean square of the distances to the reference, over the points of the scan that fit.',
          },
          {
            label: 'Surface that fits',
            help: 'Share of the scan’s points that lie on the reference to within three times their own spread. The others, such as a region that was made otherwise or is worn, do not pull at the pose; far below 70 % the pose deserves a second look.',
            value: result.inlierShare === null ? '–' : `${formatNumber(result.inlierShare * 100, 1)}\u2009%`,
          },
          {
            label: 'Best scale',
            value: formatNumber(result.scale, 5),
            help: 'By what the scan would have to be enlarged to fit best. It is not applied: away from 1 it tells of a wrong voxel size.',
          },
          {
            label: 'Other poses fit as well',
            value: result.ambiguous ? 'yes' : 'no',
            help: 'Whether the part is so nearly symmetric that it could lie another way round as well.',
          },
          {
            label: 'Iterations',
            value: result.iterations === null ? '–' : formatCount(result.iterations),
          },
        ]}
      />
      {result.matrix && <MatrixTable matrix={result.matrix} />}
    </Stack>
  );
}

export const autoAlignPage: AnalysisKindPage = {
  icon: IconTransform,
  purpose:
    'Finds where the scan lies on its reference: by the principal axes of both and, of a nearly symmetric part, by the small features that decide, refined until they fit. A mirrored part, or one of another size, is refused.',
  labels: {
    initial: { principalAxes: 'Principal axes', none: 'As they lie', matrix: 'Matrix' },
  },
  onlyWhen: {},
  resultKind: 'alignment',
  headline: (metadata) => {
    const { rmsMm, ambiguous } = readAlignmentMetadata(metadata);
    return rmsMm === null
      ? null
      : `${formatQuantity(rmsMm, 'mm', 4)} RMS${ambiguous ? ', other poses fit as well' : ''}`;
  },
  Result: Alignment,
};
