/** Parts scanned by a simulated tube and detector and reconstructed as in the product. */
import { makeSlabs, type Vector3 } from '#kernels/grid/volume.ts';
import { seededNormal, seededRandom } from '#kernels/random.ts';
import { plainDetector, type ScanGeometry, type View } from '#kernels/reconstruction/geometry.ts';
import type { Radiographs } from '#kernels/reconstruction/plan.ts';
import { box, hollowCylinder, type Pore } from '#kernels/testing/bodies.ts';
import type { Part } from '#kernels/testing/families/bodies.ts';
import type { Material, PolychromaticScan } from '#kernels/testing/polychromatic.ts';
import { anglesOver, type RayBody, type RayPose } from '#kernels/testing/radiographs.ts';
import type { Family, FamilyCase } from './family.ts';

/** Scan settings that differ between cases. */
type Scanner = Omit<PolychromaticScan, 'geometry' | 'bodies' | 'pose' | 'toldGeometry'> & {
  material: Material;
  /**
   * displacement of the axis against source and detector over the scan (−½ … ½), along the beam and across it, in
   * voxels
   */
  drift?: (progress: number) => readonly [number, number];
  /** error of the given detector centre, in pixels */
  offPixels?: number;
  rangeDeg?: number;
  views?: number;
  columns?: number;
  rows?: number;
  fault?: Fault;
};

/** `scaled`: divided by the brightness of each pixel before it is stored. */
type Fault = 'saturated in the middle' | 'saturated, then scaled' | 'row repeated';

/** Edge of a voxel in mm. Parts are equal in voxels; this size lets a few percent of the beam through. */
const voxelMm: Record<Material, number> = { plastic: 0.8, aluminium: 0.45, iron: 0.16 };
const [sourceToAxisMm, magnification] = [300, 3];
const photons = 30_000;

interface SolidPart {
  part: Part;
  bodies: readonly RayBody[];
  pose: RayPose;
}

/** All lengths in voxels. */
type MakePart = (seed: number) => SolidPart;

/** Slightly tilted, as parts are mounted for a scan, so that no face is parallel to the beam. */
const standing = (random: () => number): RayPose => ({
  turnDeg: [6 + 10 * random(), 6 + 10 * random(), 360 * random()],
  shiftMm: [4 * random() - 2, 4 * random() - 2, 2 * random() - 1],
});

const makeCylinder = (radiusMm: number, heightMm: number, attenuation = 1): RayBody => ({
  ...{ kind: 'cylinder', attenuation, radiusMm, heightMm },
  center: [0, 0, 0],
});

const block: MakePart = (seed) => {
  const random = seededRandom(seed);
  const size: Vector3 = [26 + 8 * random(), 24 + 6 * random(), 22 + 6 * random()];
  const part: Part = {
    ...{ body: box(size), pores: [], phases: [] },
    edgesMm: 4 * (size[0] + size[1] + size[2]),
  };
  const bodies: RayBody[] = [{ kind: 'box', attenuation: 1, center: [0, 0, 0], sizeMm: size }];
  return { part, bodies, pose: standing(random) };
};

const tube: MakePart = (seed) => {
  const random = seededRandom(seed);
  const [inner, wall, height] = [8 + 4 * random(), 7 + 3 * random(), 24 + 8 * random()];
  const part: Part = {
    ...{ body: hollowCylinder(inner + wall, inner, height), pores: [], phases: [] },
    edgesMm: 4 * Math.PI * (2 * inner + wall),
    wall: { path: 'percentilesMm.p50', mm: wall },
  };
  const bodies = [makeCylinder(inner + wall, height), makeCylinder(inner, height, -1)];
  return { part, bodies, pose: standing(random) };
};

const porous: MakePart = (seed) => {
  const random = seededRandom(seed);
  const [radius, height, gap] = [17 + 3 * random(), 28 + 4 * random(), 4];
  const pores: Pore[] = [];
  for (let tries = 0; tries < 400 && pores.length < 5; tries++) {
    const radiusMm = 2.5 + 2.5 * random();
    const [r, angle] = [(radius - radiusMm - gap) * random(), 2 * Math.PI * random()];
    const z = (random() - 0.5) * (height - 2 * (radiusMm + gap));
    const centerMm: Vector3 = [r * Math.cos(angle), r * Math.sin(angle), z];
    const isFree = pores.every(
      (pore) => Math.hypot(...centerMm.map((c, k) => c - pore.centerMm[k])) > radiusMm + pore.radiusMm + gap,
    );
    if (isFree) pores.push({ centerMm, radiusMm });
  }
  const whole = hollowCylinder(radius, 0, height);
  const body = {
    ...whole,
    volumeMm3: pores.reduce((sum, { radiusMm: r }) => sum - (4 / 3) * Math.PI * r ** 3, whole.volumeMm3),
    areaMm2: pores.reduce((sum, { radiusMm: r }) => sum + 4 * Math.PI * r ** 2, whole.areaMm2),
  };
  const bodies: RayBody[] = [
    makeCylinder(radius, height),
    ...pores.map(
      ({ centerMm: center, radiusMm: r }): RayBody => ({
        ...{ kind: 'ellipsoid', attenuation: -1, center },
        radiiMm: [r, r, r],
      }),
    ),
  ];
  return { part: { body, edgesMm: 4 * Math.PI * radius, pores, phases: [] }, bodies, pose: standing(random) };
};

export const solidParts = { block, tube, porous };

function scaleBody(body: RayBody, scale: number): RayBody {
  const times = (a: Vector3) => a.map((n) => n * scale) as Vector3;
  const center = times(body.center);
  switch (body.kind) {
    case 'box':
      return { ...body, center, sizeMm: times(body.sizeMm) };
    case 'ellipsoid':
      return { ...body, center, radiiMm: times(body.radiiMm) };
    case 'cylinder':
      return {
        ...{ ...body, center },
        radiusMm: body.radiusMm * scale,
        heightMm: body.heightMm * scale,
      };
  }
}

/** The part in mm; the truth for the analyses. */
function scalePart({ body, edgesMm, wall, pores }: Part, scale: number): Part {
  return {
    body: { ...body, volumeMm3: body.volumeMm3 * scale ** 3, areaMm2: body.areaMm2 * scale ** 2 },
    edgesMm: edgesMm * scale,
    ...(wall ? { wall: { ...wall, mm: wall.mm * scale } } : {}),
    pores: pores.map((pore) => ({ ...pore, radiusMm: pore.radiusMm * scale })),
    phases: [],
  };
}

function readGeometry({ rangeDeg = 360, views = 150, columns = 78, rows = 60 }: Scanner, voxel: number) {
  const pixel = voxel * magnification;
  const geometry: ScanGeometry = {
    ...{ beam: 'cone', sourceToAxisMm, columns, rows },
    sourceToDetectorMm: sourceToAxisMm * magnification,
    pixelSizeMm: [pixel, pixel],
    anglesDeg: anglesOver(rangeDeg, views),
    detector: plainDetector(sourceToAxisMm, sourceToAxisMm * magnification),
    isPoseGiven: true,
  };
  return geometry;
}

/** Poses of source and detector relative to a moving axis, in the frame of the part. */
function driftViews({ anglesDeg, detector }: ScanGeometry, drift: NonNullable<Scanner['drift']>, mm: number) {
  return anglesDeg.map((angle, i): View => {
    const [along, across] = drift(i / (anglesDeg.length - 1) - 0.5);
    const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    const turn = ([x, y, z]: Vector3): Vector3 => [x * cos - y * sin, x * sin + y * cos, z];
    const move = ([x, y, z]: Vector3): Vector3 => turn([x - along * mm, y - across * mm, z]);
    return {
      sourceMm: move([sourceToAxisMm, 0, 0]),
      detector: {
        centerMm: move(detector.centerMm),
        alongColumns: turn(detector.alongColumns),
        alongRows: turn(detector.alongRows),
      },
    };
  });
}

/** Most counts of a detector that is brightest in its middle. */
const mostCounts = 51_000;

/** Radiographs of a detector with a fault, and its flat image. */
async function applyFault(radiographs: Radiographs, fault: Fault): Promise<Radiographs> {
  const { geometry, projections, flatLevel = 1 } = radiographs;
  const { columns, rows, anglesDeg } = geometry;
  const pixels = columns * rows;
  const normal = seededNormal(7);
  const light = Float64Array.from({ length: pixels }, (_, i) => {
    const [x, y] = [(i % columns) - (columns - 1) / 2, Math.floor(i / columns) - (rows - 1) / 2];
    return (1 - 1.2 * ((x * x + y * y) / columns ** 2)) * (1 + 0.005 * normal());
  });
  const data = Uint16Array.from(await projections.readSlab(0, anglesDeg.length));
  for (let from = 0; from < data.length; from += pixels) {
    const one = data.subarray(from, from + pixels);
    for (let i = 0; i < pixels; i++) {
      const count = one[i] * light[i];
      one[i] = fault === 'row repeated' ? count : Math.min(count, mostCounts);
      if (fault === 'saturated, then scaled') one[i] = one[i] / light[i];
    }
    if (fault === 'row repeated') one.copyWithin(27 * columns, 26 * columns, pixels - columns);
  }
  const flat = fault === 'saturated, then scaled' ? undefined : light.map((each) => each * flatLevel);
  return { ...radiographs, flat, projections: makeSlabs({ ...projections.grid, dataType: 'uint16', data }) };
}

/** One scan of a part. @param parameters of the reconstruction */
export function simulatedCase(
  name: string,
  { part, bodies, pose }: SolidPart,
  scanner: Scanner,
  parameters: object = {},
): FamilyCase {
  const { material, drift, offPixels = 0, fault, ...rest } = scanner;
  const voxel = voxelMm[material];
  const plain = readGeometry(scanner, voxel);
  const geometry = drift ? { ...plain, views: driftViews(plain, drift, voxel) } : plain;
  const offsetMm: [number, number] = [offPixels * plain.pixelSizeMm[0], 0];
  const toldDetector = plainDetector(sourceToAxisMm, plain.sourceToDetectorMm, { offsetMm });
  const isCut = scanner.columns !== undefined || scanner.rows !== undefined;
  const scaled = scalePart(part, voxel);
  return {
    name,
    part: scaled,
    dimensions: [plain.columns, plain.columns, plain.rows],
    voxelSizeMm: [voxel, voxel, voxel],
    blurMm: voxel * Math.hypot(0.5, rest.blurPixels ?? 0),
    impairments: { contrastToNoise: 30 },
    ...(isCut ? { isCut } : {}),
    simulated: {
      parameters,
      process: fault && ((radiographs) => applyFault(radiographs, fault)),
      scan: {
        ...{ photons, ...rest, geometry, toldGeometry: { ...plain, detector: toldDetector } },
        bodies: bodies.map((body) => ({ material, body: scaleBody(body, voxel) })),
        pose: { ...pose, shiftMm: pose.shiftMm.map((n) => n * voxel) as Vector3 },
      },
    },
  };
}

type Row = readonly [name: string, scanner: Scanner, corrections?: object];

/** Each scanner on a block, a tube and a porous part, and again with its corrections. */
const onParts = (rows: readonly Row[], seed: number): FamilyCase[] =>
  rows.flatMap(([name, scanner, corrections], i) =>
    Object.entries(solidParts).flatMap(([title, make], p) => {
      const own = 1000 * seed + 10 * i + p;
      const solid = make(own);
      const scan = { seed: own, ...scanner };
      return [
        simulatedCase(`${title}, ${name}`, solid, scan),
        ...(corrections ? [simulatedCase(`${title}, ${name}${corrected}`, solid, scan, corrections)] : []),
      ];
    }),
  );

/** Suffix of the names of cases that are reconstructed with corrections. */
export const corrected = ', corrected';

const steel = { material: 'iron', tube: { kilovolts: 225, filterMm: 1 } } as const;
const aluminium = { material: 'aluminium' } as const;
const hardening = { findBeamHardening: true };
const wave = (progress: number, turns: number) => Math.sin(2 * Math.PI * turns * progress);

export const simulatedFamilies: readonly Family[] = [
  {
    title: 'Simulated, clean',
    stands: 'A cone-beam scan of plastic with one energy: only the errors of the reconstruction itself.',
    argument: 'As for plain parts, at a contrast of at least 30 times the noise.',
    isGood: true,
    listCases: (seed) => onParts([['one energy', { material: 'plastic', singleKev: 70 }]], seed),
  },
  {
    title: 'Simulated, beam hardening',
    stands:
      'Aluminium at 160 kV and steel at 225 kV, without and with the correction found from the scan itself.',
    argument: 'As for cupping: the effect of beam hardening on the level can be known to 2 %.',
    listCases: (seed) =>
      onParts(
        [
          ['aluminium', aluminium, hardening],
          ['steel', steel, hardening],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, scatter',
    stands: 'Scatter as a share of the free beam on every pixel, without and with subtraction of that share.',
    argument: 'As for cupping; scatter darkens the middle, too.',
    listCases: (seed) =>
      onParts(
        [
          ['aluminium, scatter 4 %', { ...aluminium, scatter: 0.04 }, { scatterShare: 0.04, ...hardening }],
          ['steel, scatter 4 %', { ...steel, scatter: 0.04 }, { scatterShare: 0.04, ...hardening }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, ring gains',
    stands: 'Pixels with the same error in all projections, without and with ring correction.',
    argument: 'As for rings.',
    listCases: (seed) =>
      onParts(
        [
          [
            'plastic, gains off by 0.5 %',
            { material: 'plastic', gainError: 0.005 },
            { ringCorrection: true },
          ],
          ['plastic, gains off by 2 %', { material: 'plastic', gainError: 0.02 }, { ringCorrection: true }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, drift of the axis',
    stands:
      'An axis that moves during the scan without a record in the geometry, and an axis at another position than stated.',
    argument:
      'An axis that moves by d blurs edges by about d / 3. The bound includes the resulting error of the level, but no double edges.',
    listCases: (seed) =>
      onParts(
        [
          ['drift of 0.7 voxels', { material: 'plastic', drift: (p) => [0.5 * wave(p, 1.3), 0.7 * p] }],
          ['drift of 2.5 voxels', { material: 'plastic', drift: (p) => [wave(p, 0.7), 2.5 * p] }],
          ['axis told 1 pixel off', { material: 'plastic', offPixels: 1 }],
          ['axis told 3 pixels off', { material: 'plastic', offPixels: 3 }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, blur of focal spot and detector',
    stands:
      'A focal spot and a scintillator that spread each ray over 1 and 1.6 pixels (standard deviation).',
    argument: 'As for blur.',
    listCases: (seed) =>
      onParts(
        [
          ['1 pixel', { material: 'plastic', blurPixels: 1 }],
          ['1.6 pixels', { material: 'plastic', blurPixels: 1.6 }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, limited angle',
    stands: 'Scans over less than half a turn plus the fan angle: no ray passed along some directions.',
    argument:
      'The data do not contain faces along which no ray passed: measurements there have to be marked.',
    listCases: (seed) =>
      onParts(
        [
          ['100°', { material: 'plastic', rangeDeg: 100, views: 70 }],
          ['150°', { material: 'plastic', rangeDeg: 150, views: 90 }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, few projections',
    stands: 'Streaks from too few projections.',
    argument: 'Streaks cover the whole volume; errors beyond the bound have to be marked.',
    listCases: (seed) =>
      onParts(
        [
          ['16 projections', { material: 'plastic', views: 16 }],
          ['40 projections', { material: 'plastic', views: 40 }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, truncated field',
    stands: 'Parts that reach beyond the detector at its sides, or above and below.',
    argument:
      'The scan does not show the rest of the part. The truth is that of the whole part, so results have to be marked.',
    listCases: (seed) =>
      onParts(
        [
          ['38 columns', { material: 'plastic', columns: 38 }],
          ['24 rows', { material: 'plastic', rows: 24 }],
        ],
        seed,
      ),
  },
  {
    title: 'Simulated, faulty detector',
    stands:
      'A detector that is saturated in the middle of its field, before and after flat-field correction, and one that repeats a row.',
    argument: 'As for plain parts: what was lost or doubled has to be marked.',
    listCases: (seed) =>
      (['saturated in the middle', 'saturated, then scaled', 'row repeated'] as const).map((fault, i) => {
        const scanner: Scanner = { material: fault === 'row repeated' ? 'plastic' : 'aluminium', fault };
        const own = 1000 * seed + i;
        return simulatedCase(`block, ${fault}`, block(own), { seed: own, ...scanner });
      }),
  },
  {
    title: 'Simulated, all at once',
    stands: 'Beam hardening, scatter, ring gains and blur together, without and with all corrections.',
    argument: 'As for each effect alone.',
    listCases: (seed) => {
      const all = { scatter: 0.03, gainError: 0.008, blurPixels: 0.8 };
      const corrections = { scatterShare: 0.03, ringCorrection: true, ...hardening };
      return onParts(
        [
          ['aluminium, all at once', { ...aluminium, ...all }, corrections],
          ['steel, all at once', { ...steel, ...all }, corrections],
        ],
        seed,
      );
    },
  },
];
