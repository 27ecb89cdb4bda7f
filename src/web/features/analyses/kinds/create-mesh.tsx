import { IconTriangles } from '@tabler/icons-react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { type Figure, Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { MaterialsTable } from './materials-table.tsx';
import { readMeshMetadata } from './mesh-result.ts';
import { surfaceLabels } from './surface-words.ts';

const orDash = (count: number | null) => (count === null ? '–' : formatCount(count));
const yesOrNo = (value: boolean | null) => (value === null ? '–' : value ? 'yes' : 'no');

/** What there is to say of any mesh. */
export function meshFigures(metadata: Record<string, unknown>): Figure[] {
  const mesh = readMeshMetadata(metadata);
  const extent = mesh.boundsMm?.max.map((high, axis) => high - (mesh.boundsMm?.min[axis] ?? 0));
  return [
    { label: 'Volume', value: formatQuantity(mesh.volumeMm3, 'mm³', 2) },
    { label: 'Surface area', value: formatQuantity(mesh.areaMm2, 'mm²', 2) },
    { label: 'Watertight', value: yesOrNo(mesh.watertight) },
    { label: 'Components', value: orDash(mesh.components) },
    { label: 'Triangles', value: orDash(mesh.triangles) },
    { label: 'Vertices', value: orDash(mesh.vertices) },
    {
      label: 'Extent x × y × z',
      value: extent ? `${extent.map((each) => formatNumber(each, 3)).join(' × ')}\u2009mm` : '–',
    },
  ];
}

const grey = (value: number | null) => (value === null ? '–' : formatNumber(value, 0));

function MeshResult({ dataObject }: ResultProps) {
  const { material, materials, isoValue } = readMeshMetadata(dataObject.metadata);
  return (
    <>
      {material && (
        <Figures
          label="Material"
          figures={[
            { label: 'Material', value: `${orDash(material.number)} of ${orDash(material.of)}` },
            { label: 'Grey value', value: grey(material.grayValue) },
            { label: 'From grey value', value: grey(isoValue) },
            ...(material.upperIsoValue === null
              ? []
              : [{ label: 'To grey value', value: grey(material.upperIsoValue) }]),
          ]}
        />
      )}
      <Figures label="Mesh" figures={meshFigures(dataObject.metadata)} />
      {materials.length > 0 && <MaterialsTable materials={materials} />}
    </>
  );
}

export const meshLabels = {
  ...surfaceLabels,
  formats: { glb: 'GLB', stl: 'STL', ply: 'PLY', '3mf': '3MF' },
};

export const createMeshPage: AnalysisKindPage = {
  icon: IconTriangles,
  purpose:
    'Determines the surface of the part in the grey values and writes it as a closed mesh, with volume and area.',
  labels: meshLabels,
  onlyWhen: {},
  resultKind: 'mesh',
  headline: (metadata) => {
    const { volumeMm3, materials } = readMeshMetadata(metadata);
    if (volumeMm3 === null) return null;
    const volume = formatQuantity(volumeMm3, 'mm³');
    return materials.length > 0 ? `${volume}, ${materials.length} materials` : volume;
  },
  Result: MeshResult,
};
