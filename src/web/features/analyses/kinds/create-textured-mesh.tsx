import { IconTexture } from '@tabler/icons-react';
import { nameTexture, texturedMesh } from '#contract/analyses/create-textured-mesh.ts';
import { formatQuantity } from '#contract/base/format-number.ts';
import { meshFigures } from './create-mesh.tsx';
import { FactFigures } from './fact-figures.tsx';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';

function TexturedMeshResult({
  dataObject: { metadata },
}: ResultProps<DataObjectOfKind<typeof texturedMesh.makes>>) {
  return (
    <>
      <FactFigures declaration={texturedMesh} metadata={metadata} />
      <Figures label="Mesh" figures={meshFigures(metadata)} />
    </>
  );
}

export const createTexturedMeshPage = definePage(texturedMesh, {
  icon: IconTexture,
  headline: ({ texture }) =>
    texture ? `${nameTexture(texture)}, ${formatQuantity(texture.texelMm, 'mm')} a pixel` : null,
  Result: TexturedMeshResult,
});
