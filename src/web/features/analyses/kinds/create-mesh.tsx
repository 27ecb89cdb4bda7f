import { IconTriangles } from '@tabler/icons-react';
import { surfaceMesh } from '#contract/analyses/create-mesh.ts';
import { formatCount, formatNumber, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import type { CadMetadata } from '#web/api/generated/types.gen.ts';
import { type Figure, Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { measuredFigures } from './measured.ts';
import { PlacesTable } from './places-table.tsx';

type Mesh = DataObjectOfKind<typeof surfaceMesh.makes>['metadata'];

/** The measures; the volume with its accuracy, or the reason why it has none. */
function listMeasured(mesh: Mesh | CadMetadata): Figure[] {
  const figures = measuredFigures(surfaceMesh, mesh);
  if (mesh.volumeMm3 === null)
    return [
      { label: 'Volume', value: '– (surface not closed)', help: mesh.volumeReason ?? undefined },
      ...figures,
    ];
  if (!('volumeDeviationMm3' in mesh) || typeof mesh.volumeDeviationMm3 !== 'number') return figures;
  const [volume, ...others] = figures;
  const deviation = formatQuantity(mesh.volumeDeviationMm3, 'mm³');
  const exact = {
    label: 'Volume of the triangles',
    value: `${volume?.value} ± ${deviation}`,
    help: `The triangles lie within ${formatQuantity(mesh.deflectionMm, 'mm')} of the CAD surface, so the volume can be off by up to ${deviation}.`,
  };
  return [exact, ...others];
}

/** Figures of any mesh. */
export function meshFigures(mesh: Mesh | CadMetadata): Figure[] {
  const { min, max } = mesh.boundsMm;
  const extentMm = [max[0] - min[0], max[1] - min[1], max[2] - min[2]];
  return [
    ...listMeasured(mesh),
    { label: 'Vertices', value: formatCount(mesh.vertices) },
    { label: 'Watertight', value: mesh.watertight ? 'yes' : 'no' },
    { label: 'Extent x × y × z', value: formatQuantities(extentMm, 'mm') },
  ];
}

function materialFigures({ material, isoValue }: Mesh): Figure[] {
  if (!material) return [];
  const { number, of, grayValue, upperIsoValue } = material;
  return [
    { label: 'Material', value: `${number} of ${of}` },
    { label: 'Grey value', value: formatNumber(grayValue) },
    { label: 'Surface at grey value', value: formatNumber(isoValue) },
    ...(upperIsoValue === null ? [] : [{ label: 'To grey value', value: formatNumber(upperIsoValue) }]),
  ];
}

function MeshResult({
  dataObject: { metadata: mesh },
}: ResultProps<DataObjectOfKind<typeof surfaceMesh.makes>>) {
  return (
    <>
      <Figures label="Material" figures={materialFigures(mesh)} />
      <Figures label="Mesh" figures={meshFigures(mesh)} />
      <PlacesTable
        title="Materials"
        caption="Materials, lightest first"
        rows={mesh.materials ?? []}
        count={mesh.materials?.length ?? 0}
        columns={[
          { title: 'No.', value: ({ number }) => number },
          { title: 'Grey value', value: ({ grayValue }) => grayValue },
          { title: 'From grey', value: ({ isoValue }) => isoValue },
          { title: 'Volume', unit: 'mm³', value: ({ volumeMm3 }) => volumeMm3 },
          { title: 'Area', unit: 'mm²', value: ({ areaMm2 }) => areaMm2 },
        ]}
        getKey={({ number }) => String(number)}
        getName={({ number }) => `material ${number}`}
      />
    </>
  );
}

export const createMeshPage = definePage(surfaceMesh, {
  icon: IconTriangles,
  headline: ({ volumeMm3, materials }) => {
    const volume = volumeMm3 === null ? 'not closed' : formatQuantity(volumeMm3, 'mm³');
    return materials ? `${volume}, ${materials.length} materials` : volume;
  },
  Result: MeshResult,
});
