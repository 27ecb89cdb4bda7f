import type { MeshFacts } from '../../mesh/measure.ts';
import { type Body, box, hollowCylinder, sphere, steppedWedge, torus } from '../bodies.ts';
import { measureBody } from '../measure-body.ts';
import { type Greys, makeScan, scanNames, scansWith } from './scans.ts';
import type { AccuracySection } from './section.ts';

type Kind = 'round' | 'edged' | 'stepped';
/**
 * Bodies of at least forty voxels across: the grid rounds edges by half a voxel, and small bodies are mostly edge. The
 * last four are exactly forty voxels across, and are blurred too.
 */
const sharp: Greys[] = ['clean', 'noise'];
const all: Greys[] = [...sharp, 'blur', 'blur and noise'];
const solids: { name: string; body: Body; kind: Kind; greys: Greys[] }[] = [
  { name: 'box 6.03 × 5.47 × 4.91 mm', body: box([6.03, 5.47, 4.91]), kind: 'edged', greys: sharp },
  { name: 'ball, radius 2.63 mm', body: sphere(2.63), kind: 'round', greys: sharp },
  {
    name: 'hollow cylinder, radii 3.9 and 1.37 mm, 6.9 mm long',
    body: hollowCylinder(3.9, 1.37, 6.9),
    kind: 'edged',
    greys: sharp,
  },
  { name: 'torus, radii 3.1 and 2.03 mm', body: torus(3.1, 2.03), kind: 'round', greys: sharp },
  {
    name: 'stepped wedge, 3.1, 4.3, 5.7 mm',
    body: steppedWedge([3.1, 4.3, 5.7], 2.3, 5.3),
    kind: 'stepped',
    greys: sharp,
  },
  { name: 'box of 40 voxels', body: box([4, 4, 4]), kind: 'edged', greys: all },
  { name: 'ball of 40 voxels', body: sphere(2), kind: 'round', greys: all },
  { name: 'cylinder of 40 voxels', body: hollowCylinder(2, 0, 4), kind: 'edged', greys: all },
  { name: 'torus of 40 voxels over all, its tube 14', body: torus(1.3, 0.7), kind: 'round', greys: all },
];
/** Bounds in %. The wedge has one and a half times as much edge as a box. */
const areaBounds: Record<Kind, number> = { round: 0.2, edged: 2, stepped: 2.5 };

const listErrors = ({ volumeMm3, areaMm2 }: Body, facts: MeshFacts) => ({
  Volume: 100 * ((facts.volumeMm3 ?? Number.NaN) / volumeMm3 - 1),
  Area: 100 * (facts.areaMm2 / areaMm2 - 1),
});

export const meshSection: AccuracySection = {
  title: 'Mesh',
  text: `Results of createMesh with its defaults: noise is estimated from the scan itself (median of second differences). Grey values are
smoothed only when noise is above 1 % of the contrast, by a filter that keeps curved surfaces in place; the remaining roughness
is smoothed between edges. The blur is measured at the scan's own edges, and the losses from blur, chords and averages
over voxels are compensated by curvature. Errors in % of the truth; a bound applies to the absolute value of the error beside it.
Edges are rounded by about half a voxel, and more under noise, so bodies with edges lose area. (1,000 random volumes test that
meshes are closed, manifold and consistently oriented.)`,
  places: ['Body', 'Pose', 'Voxels', 'Grey values'],
  figures: [
    { name: 'Volume', digits: 3, signed: true },
    { name: 'Area', digits: 3, signed: true },
  ],
  cases: solids.flatMap(({ name, body, kind, greys }) =>
    scansWith(greys).map((scan) => ({
      place: [name, ...scanNames(scan)],
      bounds: { Volume: 0.2, Area: areaBounds[kind] },
      measure: async (pool) => {
        const { facts } = await measureBody(makeScan(body, scan), pool);
        return listErrors(body, facts);
      },
    })),
  ),
};

export const medianMeshSection: AccuracySection = {
  title: 'Mesh behind the median filter',
  text: `As above, with the noise filter set to median, which is not the default: it removes single outliers, and rounds edges and
small round shapes more than the default filter. It has no bounds.`,
  places: meshSection.places,
  figures: meshSection.figures.map((figure) => ({ ...figure, bound: 'none' })),
  cases: solids
    .filter(({ greys }) => greys === all)
    .flatMap(({ name, body }) =>
      scansWith(['noise', 'blur and noise']).map((scan) => ({
        place: [name, ...scanNames(scan)],
        bounds: {},
        measure: async (pool) => {
          const { facts } = await measureBody(makeScan(body, scan), pool, { median: true });
          return listErrors(body, facts);
        },
      })),
    ),
};
