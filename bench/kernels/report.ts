/** Formats the comparison of a kernel with another program. */
import { type Ratios, reaches } from './ratios.ts';

export interface KernelMeasurement {
  kernel: string;
  edge: number;
  peer: string;
  /** Debian packages that the peer needs */
  packages: readonly string[];
  /** how many times faster ours must be, of the fastest and of the median runs; null: no limit */
  atLeast: number | null;
  /** why there are no figures */
  notMeasured?: string;
  ratios?: Ratios;
  /** number of runs of each */
  runs?: number;
  /** peak memory of the whole process, including its input */
  oursPeakMebibytes?: number;
  theirsPeakMebibytes?: number;
  /** differences between the results */
  disagreements?: string[];
  isMet?: boolean;
}

/** Whether the result is correct and fast enough; undefined when nothing was measured. */
export function isMetBy({ ratios, atLeast, disagreements }: KernelMeasurement): boolean | undefined {
  if (!ratios) return undefined;
  return disagreements?.length === 0 && (atLeast === null || reaches(ratios, atLeast));
}

const formatTime = (seconds: number) => `${seconds.toPrecision(3)} s`;

export function formatLine(measurement: KernelMeasurement): string {
  const { kernel, edge, peer, ratios, atLeast, isMet, disagreements } = measurement;
  const head = `${kernel}, ${edge}³, ${peer}`;
  if (!ratios) return `${head}: ${measurement.notMeasured}`;
  const memory = [measurement.oursPeakMebibytes, measurement.theirsPeakMebibytes].map((mebibytes) =>
    (mebibytes ?? 0).toFixed(0),
  );
  const limit = atLeast === null ? '' : `, limit ${atLeast}× ${isMet ? 'met' : 'NOT MET'}`;
  const wrong = disagreements?.length ? `; RESULTS DIFFER: ${disagreements.join('; ')}` : '';
  return (
    `${head}: ${ratios.ofFastest.toFixed(2)}× fastest, ${ratios.ofMedians.toFixed(2)}× median ` +
    `(${formatTime(ratios.oursSeconds[0])} against ${formatTime(ratios.theirsSeconds[0])}, ${measurement.runs} runs), ` +
    `peak ${memory.join(' against ')} MiB${limit}${wrong}`
  );
}

/** The needed packages, and again each row that was not measured, missed its limit or differs. */
export function summarizeMeasurements(measurements: readonly KernelMeasurement[]): string[] {
  const needed = [...new Set(measurements.flatMap(({ packages }) => packages))].sort();
  return [
    `the other programs come from the Debian packages ${needed.join(' ')}`,
    ...measurements.filter(({ ratios, isMet }) => !ratios || !isMet).map(formatLine),
  ];
}
