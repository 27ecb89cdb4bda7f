import { IconTexture } from '@tabler/icons-react';
import { texturedMesh } from '#contract/analyses/create-textured-mesh.ts';
import { formatCount, formatNumber, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { meshFigures } from './create-mesh.tsx';
import { type Figure, Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';

type Texture = NonNullable<DataObjectOfKind<typeof texturedMesh.makes>['metadata']['texture']>;

const chooseTitle = ({ shows }: Texture): string =>
  texturedMesh.scalars.find(({ name }) => name === shows)?.title ?? shows;
const times = (value: number) => `${formatNumber(value)}\u2009×`;

function textureFigures(texture: Texture): Figure[] {
  const { low, high, unit, sizePx, stretch, depthMm } = texture;
  return [
    { label: 'Texture', value: chooseTitle(texture) },
    { label: 'Grey range', value: formatQuantities([low, high], unit, ' to ') },
    ...(depthMm === undefined ? [] : [{ label: 'Sampling depth', value: formatQuantity(depthMm, 'mm') }]),
    { label: 'Picture', value: `${formatCount(sizePx)} × ${formatCount(sizePx)} pixels` },
    { label: 'Texture pixel size', value: formatQuantity(texture.texelMm, 'mm') },
    {
      label: 'Texture used',
      help: 'Share of the picture that the part uses; the rest is margin.',
      value: formatQuantity(100 * texture.usedShare, '%'),
    },
    {
      label: 'Charts',
      value: formatCount(texture.charts),
      help: 'Pieces into which the surface was cut to lay it flat.',
    },
    {
      label: 'Distortion (mean, max)',
      help: 'How much coarser the picture is than it could be; 1 means not at all.',
      value: `${times(stretch.mean)}, ${times(stretch.max)}`,
    },
  ];
}

function TexturedMeshResult({
  dataObject: { metadata },
}: ResultProps<DataObjectOfKind<typeof texturedMesh.makes>>) {
  return (
    <>
      {metadata.texture && <Figures label="Texture" figures={textureFigures(metadata.texture)} />}
      <Figures label="Mesh" figures={meshFigures(metadata)} />
    </>
  );
}

export const createTexturedMeshPage = definePage(texturedMesh, {
  icon: IconTexture,
  headline: ({ texture }) =>
    texture ? `${chooseTitle(texture)}, ${formatQuantity(texture.texelMm, 'mm')} a pixel` : null,
  Result: TexturedMeshResult,
});
