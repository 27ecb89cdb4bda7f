/** Declaration of a kind of analysis, from which forms, validation, storage, display and export are derived. */
import type { z } from 'zod';
import type { Quantity } from './quantities.ts';
import type { RestsOn } from './scan-finding.ts';

/** Path of a value in a result, with dots as separators: `percentilesMm.p5`, `materials.0.volumeMm3`. */
export type PathTo<Leaf, Whole> = Whole extends readonly (infer Item)[]
  ? StepTo<Leaf, `${number}`, Item>
  : Whole extends object
    ? { [Name in keyof Whole & string]: StepTo<Leaf, Name, NonNullable<Whole[Name]>> }[keyof Whole & string]
    : never;
type StepTo<Leaf, Name extends string, Value> =
  | (Value extends Leaf ? Name : never)
  | `${Name}.${PathTo<Leaf, Value>}`;

/** A number of the result on which a limit can be set. */
export interface Measure<Path extends string = string> {
  path: Path;
  /** the same in form, result, gate, CSV and report */
  label: string;
  quantity: Quantity;
  /** direction of improvement, which determines whether a limit is usually an upper or a lower one */
  better: 'lower' | 'higher' | 'none';
  /** explanation for users who don't know the measure */
  help?: string;
  /** section of its own, apart from the main numbers */
  section?: 'percentiles' | 'materials';
}

/** A scalar field on the result's surface, with a value per vertex. */
export interface SurfaceScalar<Name extends string = string, NumberPath extends string = string> {
  /** name of the vertex attribute in the GLB, or of its texture */
  name: Name;
  title: string;
  unit: string;
  /** value at the middle of the colour scale: zero when both signs matter equally */
  center: 'zero' | 'none';
  /** for places with one value each: statistics count places instead of area */
  each?: {
    /** vertex attribute in the GLB with the number of the place */
    attribute: string;
    /** path of the total number of places, including those not drawn */
    count: NumberPath;
    noun: string;
  };
  /** colour map, if not the default for the centre */
  map?: 'gray';
  /** the surface is shown plain until the user selects this field */
  onDemand?: true;
  /** paths of the limits of the colour scale; default: limits that cover most of the values */
  limits?: readonly [lower: NumberPath, upper: NumberPath];
  /** annotation on slices beside the contour: deviations as whiskers, or arrows across walls */
  marks?: 'whiskers' | 'walls';
}

/** A column in the table of places of a result. */
export interface PlaceColumn<Path extends string = string> {
  path: Path;
  title: string;
  /** quantity of a number; without it, the value is text */
  quantity?: Quantity;
  words?: Readonly<Record<string, string>>;
}

export interface PlaceList<
  Path extends string = string,
  Point extends string = string,
  Field extends string = string,
> {
  /** field of the result */
  list: Field;
  /** field with the total number of places, which may exceed the number listed */
  count: Field;
  /** file with all places: a header row, then one row each with `id` (their number on the surface) and their centre */
  table?: string;
  title: string;
  /** singular noun, as in “Defect 3” */
  noun: string;
  /** the first column is the main value of a place */
  columns: readonly PlaceColumn<Path>[];
  /** path of the position, in mm */
  point: Point;
}

/** Type-checks the columns of a list against the shape of its places. */
export const declareList = <
  Item extends z.ZodObject,
  const Path extends PathTo<number | string | boolean | null, z.infer<Item>>,
  const Point extends PathTo<readonly number[], z.infer<Item>>,
  const Field extends string,
>(
  _item: Item,
  list: PlaceList<Path, Point, Field>,
): PlaceList<string, string, Field> => list;

/** A group of analyses that an organization enables or disables together. */
export interface AnalysisModule {
  key: string;
  name: string;
}

/** Verdict of a result on its own tolerance, as one measured number with limits. */
export interface JudgedTolerance {
  /** path of the measure */
  measure: string;
  nominal: number;
  lower: number;
  upper: number;
  measured: number;
  unit: string;
  /** expanded uncertainty, k = 2; null when the result states none */
  uncertainty: number | null;
  guardBand: number;
  /** position of the measured value, in mm */
  positionMm: readonly [number, number, number] | null;
  /** explains the verdict when the numbers alone do not; otherwise null */
  reason: string | null;
}

/** An additional line about a result, such as how it was made. */
export interface Fact {
  label: string;
  /** including the unit */
  value: string;
  /** explanation of the label */
  help?: string;
}

/** Facts about the reference that parameters may depend on. */
export interface ReferenceFacts {
  kind: string;
  metadata: object;
}

/** Common type of all declarations; `declareAnalysis` keeps the specific types. */
export interface AnalysisDeclaration<
  Key extends string = string,
  StatusKey extends string = string,
  Source extends string = string,
  Reference extends string = string,
  Makes extends string | null = string | null,
  Parameters extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
  Path extends string = string,
  Scalar extends string = string,
  Names extends Record<'parameter' | 'field' | 'number' | 'text' | 'pose', string> = Record<
    'parameter' | 'field' | 'number' | 'text' | 'pose',
    string
  >,
> {
  /** last segment of its URL */
  key: Key;
  /** its field in a project's status */
  statusKey: StatusKey;
  title: string;
  /** title of a comparison with something other than a CAD model, such as another scan */
  titleWithoutCad?: string;
  /** what it makes or measures, in one line without a full stop */
  purpose: string;
  /** explanation for users who decide whether to run it */
  help: string;
  module: AnalysisModule;
  /** default key of a recipe step */
  stepKey: string;
  parameters: Parameters;
  needs: {
    /** kinds of source data in order of preference; empty: no source */
    source: readonly Source[];
    /** kinds of data that can be the reference; empty: no reference */
    reference: readonly Reference[];
    /** takes the pose found by an earlier step as its parameter `matrix` */
    pose?: true;
  };
  /** why these parameters are incompatible with this reference; null when they are compatible */
  refusesReference?: (
    parameters: Readonly<Record<string, unknown>>,
    reference: ReferenceFacts,
  ) => { field: Names['parameter']; reason: string } | null;
  /** what its numbers depend on, which determines how findings about the scan affect them */
  restsOn?: RestsOn;
  /** kind of data it creates; null: its steps create the data */
  makes: Makes;
  /** what the GLB of its result shows: the part's surface, single places, or null without a GLB */
  surface: 'part' | 'places' | null;
  /** metadata of its result */
  result: Result;
  /** field that only its own results have, when other data of the same kind exists */
  mark?: Names['field'];
  measures: readonly Measure<Path>[];
  /** additional facts under a title, the same in the dashboard and in reports */
  facts?: { title: string; list(result: z.infer<Result>): Fact[] };
  scalars: readonly SurfaceScalar<Scalar, Names['number']>[];
  /** list of places, worst first, such as defects or thin regions */
  places?: PlaceList<string, string, Names['field']>;
  /** path of the name of the only scalar field that the result contains */
  shownScalar?: Names['text'];
  /** path of the verdict on its tolerance */
  verdict?: Names['text'];
  /** the number that decides this verdict */
  judgedTolerance?(result: z.infer<Result>): JudgedTolerance;
  /** position in mm of the worst value of a measure; null when the measure belongs to no single place */
  findPlace?(result: z.infer<Result>, path: string): readonly [number, number, number] | null;
  /** path of a pose for later steps: 16 numbers */
  pose?: Names['pose'];
  /** path of the pose in which its surface was compared with the reference: 16 numbers */
  heldIn?: Names['pose'];
}

/** Type-checks a declaration and keeps its literal types; a measure whose path is not in the result fails to compile. */
export const declareAnalysis = <
  const Key extends string,
  const StatusKey extends string,
  const Source extends string,
  const Reference extends string,
  const Makes extends string | null,
  Parameters extends z.ZodObject,
  Result extends z.ZodObject,
  const Path extends PathTo<number, z.infer<Result>> = never,
  const Scalar extends string = never,
>(
  declaration: AnalysisDeclaration<
    Key,
    StatusKey,
    Source,
    Reference,
    Makes,
    Parameters,
    Result,
    Path,
    Scalar,
    {
      parameter: keyof Parameters['shape'] & string;
      field: keyof Result['shape'] & string;
      number: PathTo<number, z.infer<Result>>;
      text: PathTo<string, z.infer<Result>>;
      pose: PathTo<number[], z.infer<Result>>;
    }
  >,
) => declaration;
