/** File extensions describe the format, not the part; all of several (`.nii.gz`) are removed. */
const ending = /\.[a-z][a-z0-9]{0,4}$/i;
/** Capital letters and digits, as in part numbers: `H-77`, `VH-210-A`, `4711-02`. */
const partNumber = /(?:^|\s)([A-Z]{1,5}-?\d{2,}(?:-[A-Z0-9]+)*|\d{3,}-\d+(?:-[A-Z0-9]+)*)(?=\s|$)/;
/** Similar tokens that describe the scan. */
const aboutTheScan = /(?:^|\s)(?:CT|XCT|SCAN|VOL|REC|KV|UA)-?\d+(?=\s|$)/g;

/**
 * Derives name and part number from a scan's file name: `H-77_housing_0412.nii.gz` is “H-77 housing 0412”, part number
 * H-77.
 */
export function readPartFromName(fileName: string): { name: string; partNumber: string } {
  let stem = fileName.trim();
  while (ending.test(stem) && stem.replace(ending, '').trim() !== '') stem = stem.replace(ending, '');
  const name = stem.replace(/[_\s]+/g, ' ').trim() || fileName;
  return {
    name: name.slice(0, 200).trim(),
    partNumber: partNumber.exec(name.replace(aboutTheScan, ' '))?.[1] ?? '',
  };
}
