/** Kinds of data objects: those imported from files and those created by analyses. */
import { z } from 'zod';
import { FileMetadata } from '../metadata/file.ts';
import { CadMetadata, MeshMetadata } from '../metadata/mesh.ts';
import { RadiographsMetadata } from '../metadata/radiographs.ts';
import { Matrix4 } from '../metadata/statistics.ts';
import { SurfaceMetadata } from '../metadata/surface.ts';
import { Uncertainty } from '../metadata/uncertainty.ts';
import { Verdict } from '../metadata/verdict.ts';
import { VolumeMetadata } from '../metadata/volume.ts';
import type { AnalysisDeclaration, JudgedTolerance, Measure, SurfaceScalar } from './declaration.ts';
import { listUnits } from './quantities.ts';
import {
  readExpanded,
  readMeasure,
  readPath,
  type StepDeclaration,
  type StepKind,
  stepAnalyses,
} from './steps.ts';

interface PlainKind {
  title: string;
  metadata: z.ZodObject;
  /** folder in an export's archive */
  folder: string;
  /** export option that includes it; default: meshes and results */
  part?: 'volumes' | 'radiographs';
  /** what its GLB shows: the scanned part, a reference, or null without a GLB */
  surface: 'part' | 'reference' | null;
}

export const exportParts = ['meshes', 'volumes', 'radiographs'] as const;

/** Kinds that a file can be imported as. */
const fileKinds = {
  radiographs: {
    title: 'Radiographs',
    metadata: RadiographsMetadata,
    folder: 'radiographs',
    part: 'radiographs',
    surface: null,
  },
  volume: { title: 'Volume', metadata: VolumeMetadata, folder: 'volumes', part: 'volumes', surface: null },
  mesh: { title: 'Mesh', metadata: MeshMetadata, folder: 'meshes', surface: 'part' },
  cad: { title: 'CAD or reference mesh', metadata: CadMetadata, folder: 'cad', surface: 'reference' },
  report: { title: 'Report', metadata: FileMetadata, folder: 'reports', surface: null },
  other: { title: 'Other file', metadata: FileMetadata, folder: 'other', surface: null },
} as const satisfies Record<string, PlainKind>;

/** Data that analyses determine once per scan and share; neither a result nor a selectable input. */
const sharedKinds = {
  surface: { title: 'Surface determination', metadata: SurfaceMetadata, folder: 'surfaces', surface: null },
} as const satisfies Record<string, PlainKind>;
const plainKinds = { ...fileKinds, ...sharedKinds };

/** Kinds of shared data, which are intermediate data rather than results. */
export const sharedDataKinds = Object.keys(sharedKinds) as (keyof typeof sharedKinds)[];

export type FileDataKind = keyof typeof fileKinds;
export type PlainDataKind = keyof typeof plainKinds;
export const fileDataKinds = Object.keys(fileKinds) as FileDataKind[];
export type DataObjectKind = PlainDataKind | StepDeclaration['makes'];
export const dataObjectKinds = [
  ...new Set<DataObjectKind>([
    ...(Object.keys(plainKinds) as PlainDataKind[]),
    ...stepAnalyses.map(({ makes }) => makes),
  ]),
];

type PlainShape<Kind> = Kind extends PlainDataKind ? (typeof plainKinds)[Kind]['metadata']['shape'] : never;
type Shape<Kind> = PlainShape<Kind> | Extract<StepDeclaration, { makes: Kind }>['result']['shape'];
type NamesIn<Shapes> = Shapes extends unknown ? keyof Shapes : never;
type In<Shapes, Name extends PropertyKey> =
  Shapes extends Record<Name, infer Field extends z.ZodType> ? Field : never;
/** Merge of several shapes: fields common to all, and all other fields as optional. */
type Merged<Shapes> = {
  [Name in NamesIn<Shapes>]: Name extends keyof Shapes ? In<Shapes, Name> : z.ZodOptional<In<Shapes, Name>>;
};
type Uncertainties = { uncertainties?: Record<string, Uncertainty> | undefined };
/** Metadata of a data object of this kind, whichever analysis or file it came from. */
export type MetadataOf<Kind extends DataObjectKind> = z.infer<z.ZodObject<Merged<Shape<Kind>>>> &
  Uncertainties;
/** Metadata that one analysis must create, including what it may add. */
export type ResultOf<Declaration extends StepDeclaration> = z.infer<Declaration['result']> & {
  uncertainties?: { [Path in Declaration['measures'][number]['path']]?: Uncertainty };
};

const findMakers = (kind: string): AnalysisDeclaration[] =>
  stepAnalyses.filter(({ makes }) => makes === kind);

const findPlainKind = (kind: string): PlainKind | undefined =>
  (plainKinds as Record<string, PlainKind>)[kind];

function mergeShapes(shapes: readonly z.ZodObject['shape'][]): z.ZodObject['shape'] {
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  return Object.fromEntries(
    names.map((name) => {
      const fields = shapes.flatMap((shape) => shape[name] ?? []);
      const [first, ...others] = new Set(fields);
      const field = others.length > 0 ? z.union([first, ...others]) : first;
      return [name, fields.length < shapes.length ? z.optional(field) : field];
    }),
  );
}

/** The schema of each kind's metadata. */
export const metadataSchemas = Object.fromEntries(
  dataObjectKinds.map((kind) => {
    const makers = findMakers(kind);
    const file = findPlainKind(kind)?.metadata;
    const shapes = [...(file ? [file.shape] : []), ...makers.map(({ result }) => result.shape)];
    const paths = [...new Set(makers.flatMap(({ measures }) => measures.map(({ path }) => path)))];
    const uncertainties =
      paths.length > 0 ? { uncertainties: z.partialRecord(z.enum(paths), Uncertainty).optional() } : {};
    const id = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Metadata`;
    return [kind, z.object({ ...mergeShapes(shapes), ...uncertainties }).meta({ id })];
  }),
) as unknown as { [Kind in DataObjectKind]: z.ZodObject<Merged<Shape<Kind>>> };

/** The fields of a data object that are needed here. */
interface Described {
  kind: string;
  metadata: object;
}

/** The analysis that creates this kind of result; undefined for data that only comes from files. */
export function findMaker({
  kind,
  metadata,
}: Described): (AnalysisDeclaration & { key: StepKind }) | undefined {
  const makers: (AnalysisDeclaration & { key: StepKind })[] = stepAnalyses.filter(
    ({ makes }) => makes === kind,
  );
  return (
    makers.find(({ mark }) => mark !== undefined && mark in metadata) ??
    makers.find(({ mark }) => mark === undefined)
  );
}

export interface MeasuredValue {
  measure: Measure;
  value: number;
  /** expanded uncertainty (k = 2) in the same unit; null when the result states none */
  expanded: number | null;
  unit: string;
}

/** The measures that a result has, in the units of the result. */
export const listMeasured = (dataObject: Described): MeasuredValue[] =>
  (findMaker(dataObject)?.measures ?? []).flatMap((measure) => {
    const found = readMeasured(dataObject.metadata, measure);
    return found ? [found] : [];
  });

/** One measure of the result; null when the result does not have it. */
export function readMeasured(result: object, measure: Measure): MeasuredValue | null {
  const [unit] = listUnits(measure.quantity);
  const value = readMeasure(result, measure, unit);
  return value === null ? null : { measure, value, expanded: readExpanded(result, measure, unit), unit };
}

/** The pose it provides for later steps; undefined when it provides none. */
export function readPose(dataObject: Described): number[] | undefined {
  const path = findMaker(dataObject)?.pose;
  const matrix = path === undefined ? undefined : readPath(dataObject.metadata, path);
  return Matrix4.safeParse(matrix).data;
}

/**
 * Transformation from the scan to the reference it was compared with, row by row; undefined without a reference.
 */
export function readPlacement(dataObject: Described): number[] | undefined {
  const path = findMaker(dataObject)?.heldIn;
  const matrix = path === undefined ? undefined : readPath(dataObject.metadata, path);
  return readPose(dataObject) ?? Matrix4.safeParse(matrix).data;
}

/** The list of places, such as defects, that it contains; undefined when it contains none. */
export const findPlaces = (dataObject: Described) => findMaker(dataObject)?.places;

/**
 * The places that its surface shows, the file that lists all of them, and the vertex attribute with the number of the
 * place; null when its surface shows none.
 */
export function findShownPlaces(dataObject: Described) {
  const places = findPlaces(dataObject);
  const attribute = listScalars(dataObject).find(({ each }) => each)?.each?.attribute;
  return places?.table && attribute ? { places, fileName: places.table, attribute } : null;
}

/** The verdict on its own tolerance; undefined when it has none. */
export function readVerdict(dataObject: Described): Verdict | undefined {
  const path = findMaker(dataObject)?.verdict;
  return path === undefined ? undefined : Verdict.safeParse(readPath(dataObject.metadata, path)).data;
}

/** The number that decides this verdict, with its limits; undefined when it has none. */
export const readTolerance = (dataObject: Described): JudgedTolerance | undefined =>
  readVerdict(dataObject) && findMaker(dataObject)?.judgedTolerance?.({ ...dataObject.metadata });

/** Position in mm of the worst value of a measure; null when the measure belongs to no single place. */
export const readPlace = (dataObject: Described, path: string): readonly [number, number, number] | null =>
  findMaker(dataObject)?.findPlace?.({ ...dataObject.metadata }, path) ?? null;

/** The scalar fields by which its surface can be coloured. */
export function listScalars(dataObject: Described): readonly SurfaceScalar[] {
  const maker = findMaker(dataObject);
  if (!maker?.shownScalar) return maker?.scalars ?? [];
  const shown = readPath(dataObject.metadata, maker.shownScalar);
  return maker.scalars.filter(({ name }) => name === shown);
}

/** A scalar field with the limits of its colour scale; null: limits that cover most of the values. */
export type LimitedScalar = Omit<SurfaceScalar, 'limits'> & {
  limits: [lower: number, upper: number] | null;
  /** the names that its numbers stand for, from 0 on */
  words?: readonly string[];
};

export const listLimitedScalars = (dataObject: Described): LimitedScalar[] =>
  listScalars(dataObject).map((scalar) => {
    const ends = scalar.limits?.map((path) => readPath(dataObject.metadata, path));
    return { ...scalar, limits: z.tuple([z.number(), z.number()]).safeParse(ends).data ?? null };
  });

/** Title of a kind of data; null for a kind unknown to this version. */
export const findDataTitle = (kind: string): string | null =>
  findPlainKind(kind)?.title ?? findMakers(kind)[0]?.module.name ?? null;

/** What the GLB of this kind of data shows; null without a GLB. */
export function findSurface(kind: string): 'part' | 'places' | 'reference' | null {
  return findPlainKind(kind)?.surface ?? findMakers(kind)[0]?.surface ?? null;
}

/** Kinds that contain the whole surface of a part: first those coloured by a measured value, then plain ones. */
export const surfaceKinds: readonly DataObjectKind[] = dataObjectKinds
  .filter((kind) => ['part', 'reference'].includes(findSurface(kind) ?? ''))
  .sort((a, b) => Number(a in fileKinds) - Number(b in fileKinds));

/** The export option that includes a kind of data. */
export const findExportPart = (kind: DataObjectKind): (typeof exportParts)[number] =>
  findPlainKind(kind)?.part ?? 'meshes';

/** Folder of this kind of data in an export's archive. */
export const findFolder = (kind: DataObjectKind): string => findPlainKind(kind)?.folder ?? 'results';
