import { IconTexture } from '@tabler/icons-react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { meshFigures, meshLabels } from './create-mesh.tsx';
import { type Figure, Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { readTexture, type TextureResult } from './texture-result.ts';

const textures: Record<string, string> = {
  grayValue: 'Grey value',
  curvature: 'Curvature',
  ambientOcclusion: 'Ambient occlusion',
};

const orDash = (value: number | null, words: (value: number) => string) =>
  value === null ? '–' : words(value);
const times = (value: number) => `${formatNumber(value, 2)}\u2009×`;

function textureFigures(texture: TextureResult): Figure[] {
  const { low, high, unit, sizePx, stretch } = texture;
  const digits = texture.shows === 'grayValue' ? 0 : 2;
  const range = low === null || high === null ? null : [low, high].map((each) => formatNumber(each, digits));
  return [
    { label: 'Texture', value: textures[texture.shows] ?? (texture.shows || '–') },
    {
      label: 'Black to white',
      value: range === null ? '–' : `${range.join(' to ')}${unit === '' ? '' : `\u2009${unit}`}`,
    },
    ...(texture.depthMm === null
      ? []
      : [{ label: 'Taken under the surface', value: formatQuantity(texture.depthMm, 'mm', 3) }]),
    { label: 'Picture', value: orDash(sizePx, (px) => `${formatCount(px)} × ${formatCount(px)} pixels`) },
    { label: 'Pixel on the surface', value: orDash(texture.texelMm, (mm) => formatQuantity(mm, 'mm', 4)) },
    {
      label: 'Used by the surface',
      help: 'Share of the picture that lies on the part; the rest is margin between the charts.',
      value: orDash(texture.usedShare, (share) => `${formatNumber(100 * share, 0)}\u2009%`),
    },
    {
      label: 'Charts',
      value: orDash(texture.charts, formatCount),
      help: 'Pieces into which the surface was cut to lay it flat.',
    },
    {
      label: 'Stretch, mean and most',
      help: 'How much coarser the picture is on the surface than it could be: 1 is none.',
      value:
        stretch === null || stretch.mean === null || stretch.max === null
          ? '–'
          : `${times(stretch.mean)}, ${times(stretch.max)}`,
    },
  ];
}

function TexturedMeshResult({ dataObject }: ResultProps) {
  const texture = readTexture(dataObject.metadata);
  return (
    <>
      {texture && <Figures label="Texture" figures={textureFigures(texture)} />}
      <Figures label="Mesh" figures={meshFigures(dataObject.metadata)} />
    </>
  );
}

export const createTexturedMeshPage: AnalysisKindPage = {
  icon: IconTexture,
  purpose:
    'Determines the surface of the part and wraps a picture around it: the grey values just under the surface, its curvature, or how open it lies. The file opens in any viewer of glTF.',
  labels: { ...meshLabels, texture: textures },
  onlyWhen: { depthMm: { key: 'texture', values: ['grayValue'] } },
  resultKind: 'mesh',
  shows: (metadata) => readTexture(metadata) !== null,
  headline: (metadata) => {
    const texture = readTexture(metadata);
    if (!texture) return null;
    const what = textures[texture.shows] ?? texture.shows;
    return texture.texelMm === null ? what : `${what}, ${formatQuantity(texture.texelMm, 'mm', 3)} a pixel`;
  },
  Result: TexturedMeshResult,
};
