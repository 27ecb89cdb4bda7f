import { IconRotate360 } from '@tabler/icons-react';
import { reconstructionPreview } from '#contract/analyses/reconstruction-preview.ts';
import { formatQuantity } from '#contract/base/format-number.ts';
import { FactFigures } from './fact-figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';

type Volume = DataObjectOfKind<typeof reconstructionPreview.makes>;

const ReconstructionResult = ({ dataObject: { metadata } }: ResultProps<Volume>) => (
  <FactFigures declaration={reconstructionPreview} metadata={metadata} />
);

export const reconstructionPreviewPage = definePage(reconstructionPreview, {
  icon: IconRotate360,
  headline: ({ dimensions, reconstruction }) =>
    reconstruction
      ? `${dimensions.join(' × ')} voxels, centre at ${formatQuantity(reconstruction.centerOfRotationMm, 'mm')}`
      : null,
  Result: ReconstructionResult,
});
