/** Published or independently measured values, beside this project's results for the same file. */

export interface PublishedRow {
  subject: string;
  figure: string;
  published: string;
  ours: string;
  /** reason for the difference; absent when there is none */
  because?: string;
}

export const number = (value: number, digits = 6): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : String(value);

/** Our value, and its difference from the published one in percent. */
export const against = (ours: number, published: number, digits = 6): string => {
  const percent = 100 * (ours / published - 1);
  return ours === published
    ? `${number(ours, 12)} (the same)`
    : `${number(ours, digits)} (${percent < 0 ? '−' : '+'}${Math.abs(percent).toPrecision(2)} %)`;
};

export function printRows(title: string, rows: readonly PublishedRow[]): void {
  console.log(`\n${title}`);
  for (const { subject, figure, published, ours, because } of rows) {
    console.log(`  ${subject}: ${figure}\n    published  ${published}\n    ours       ${ours}`);
    if (because) console.log(`    why        ${because}`);
  }
}
