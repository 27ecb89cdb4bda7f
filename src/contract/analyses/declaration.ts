/** What a kind of analysis is, all in one place; everything that shows, checks, stores or exports one is derived from it. */
import type { z } from 'zod';
import type { Quantity } from './quantities.ts';
import type { RestsOn } from './scan-finding.ts';

/** A place in a result, steps apart by dots: `percentilesMm.p5`, `materials.0.volumeMm3`. */
export type PathTo<Leaf, Whole> = Whole extends readonly (infer Item)[]
  ? StepTo<Leaf, `${number}`, Item>
  : Whole extends object
    ? { [Name in keyof Whole & string]: StepTo<Leaf, Name, NonNullable<Whole[Name]>> }[keyof Whole & string]
    : never;
type StepTo<Leaf, Name extends string, Value> =
  | (Value extends Leaf ? Name : never)
  | `${Name}.${PathTo<Leaf, Value>}`;

/** A number of the result that a limit can be set on. */
export interface Measure<Path extends string = string> {
  path: Path;
  /** the same in form, result, gate, CSV and report */
  label: string;
  quantity: Quantity;
  /** which way is better: a limit is usually an upper or a lower one */
  better: 'lower' | 'higher' | 'none';
  /** what it means, for who does not know it */
  help?: string;
  /** listed apart from the main numbers */
  section?: 'percentiles' | 'materials';
}

/** A value at each vertex of the result's surface, which is coloured by it. */
export interface SurfaceScalar<Name extends string = string, NumberPath extends string = string> {
  /** of the attribute in the GLB, or of its texture */
  name: Name;
  title: string;
  unit: string;
  /** what the middle of the colours stands for: zero where both signs count alike */
  center: 'zero' | 'none';
  /** for places that have one value each: statistics count them, not their area */
  each?: {
    /** of the GLB, the number of its place at each vertex */
    attribute: string;
    /** how many there are, those that were too many to be drawn too */
    count: NumberPath;
    noun: string;
  };
  /** another colour map than the one that goes with the centre */
  map?: 'gray';
  /** the surface is plain until somebody asks for these colours */
  onDemand?: true;
  /** where the colours end; by default where most of the values do */
  limits?: readonly [lower: NumberPath, upper: NumberPath];
  /** what slices can show of it beside their contour: deviations as whiskers, arrows across walls */
  marks?: 'whiskers' | 'walls';
}

/** What is shown of each place that a result lists. */
export interface PlaceColumn<Path extends string = string> {
  path: Path;
  title: string;
  /** of a number; without it, the value is a word */
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
  /** how many there are, more than are listed perhaps */
  count: Field;
  /** file with all of them: a heading, and a row each with `id`, which is their number on the surface, and their centre */
  table?: string;
  title: string;
  /** one of them, as in “Defect 3” */
  noun: string;
  /** the first is what the places are listed for */
  columns: readonly PlaceColumn<Path>[];
  /** where it is, in mm */
  point: Point;
}

/** Checks the columns of a list against the shape of its places. */
export const declareList = <
  Item extends z.ZodObject,
  const Path extends PathTo<number | string | boolean | null, z.infer<Item>>,
  const Point extends PathTo<readonly number[], z.infer<Item>>,
  const Field extends string,
>(
  _item: Item,
  list: PlaceList<Path, Point, Field>,
): PlaceList<string, string, Field> => list;

/** Analyses that are switched together for an organization. */
export interface AnalysisModule {
  key: string;
  name: string;
}

/** What a result says of its own tolerance, as one measured number with limits. */
export interface JudgedTolerance {
  /** path of the measure */
  measure: string;
  nominal: number;
  lower: number;
  upper: number;
  measured: number;
  unit: string;
  /** expanded, k = 2; null where the result states none */
  uncertainty: number | null;
  guardBand: number;
  /** where that is */
  positionMm: readonly [number, number, number] | null;
  /** why the verdict is not a plain one; null where the numbers say it all */
  reason: string | null;
}

/** A line of what a result says beside its measures, such as how it was made. */
export interface Fact {
  label: string;
  /** with its unit */
  value: string;
  /** what the label means, for who does not know it */
  help?: string;
}

/** What the reference is, as far as parameters can ask for something of it. */
export interface ReferenceFacts {
  kind: string;
  metadata: object;
}

/** What all of them have in common; `declareAnalysis` knows each by its own types. */
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
  /** on the wire: the last step of its address */
  key: Key;
  /** the field of a project's status that shows it */
  statusKey: StatusKey;
  title: string;
  /** one line, as the interface was given */
  purpose: string;
  /** for one who decides whether to run it */
  help: string;
  module: AnalysisModule;
  /** what a step of a recipe is called at first */
  stepKey: string;
  parameters: Parameters;
  needs: {
    /** kinds of data that it works on, the first that there is one of; none = it has no source */
    source: readonly Source[];
    /** kinds of data that it can hold the source against; none = it has no reference */
    reference: readonly Reference[];
    /** it takes the pose that a step before it has found as its parameter `matrix` */
    pose?: true;
  };
  /** why these parameters don't go with this reference; null = they do */
  refusesReference?: (
    parameters: Readonly<Record<string, unknown>>,
    reference: ReferenceFacts,
  ) => { field: Names['parameter']; reason: string } | null;
  /** what its numbers rest on, which says what a finding about the scan does to them */
  restsOn?: RestsOn;
  /** kind of data that it makes; null = its steps make it */
  makes: Makes;
  /** of the GLB of what it makes: the part's surface, single places of it, or nothing */
  surface: 'part' | 'places' | null;
  /** the metadata of what it makes */
  result: Result;
  /** a field that only its own results have, where other data of the kind exists */
  mark?: Names['field'];
  measures: readonly Measure<Path>[];
  /** what it says beside them, under a title: the same on the page and in reports */
  facts?: { title: string; list(result: z.infer<Result>): Fact[] };
  scalars: readonly SurfaceScalar<Scalar, Names['number']>[];
  /** places that it lists, the worst first: defects, thin regions */
  places?: PlaceList<string, string, Names['field']>;
  /** names the one scalar that the result has, of several */
  shownScalar?: Names['text'];
  /** what it says about its tolerance */
  verdict?: Names['text'];
  /** the number that this verdict is about */
  judgedTolerance?(result: z.infer<Result>): JudgedTolerance;
  /** where in the part, in mm, a measure has its worst value; null where it is not at one place */
  findPlace?(result: z.infer<Result>, path: string): readonly [number, number, number] | null;
  /** a pose that steps after it can take: 16 numbers */
  pose?: Names['pose'];
  /** where the pose is that its surface was held against the reference in: 16 numbers */
  heldIn?: Names['pose'];
}

/** Checks a declaration and keeps its literal types: a measure whose path the result does not have is an error here. */
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
