/** Writes an IGES file: the closed wall of a tube, and a flat plate beside it. */

export interface TubeAndPlate {
  /** in the file's unit */
  radius: number;
  height: number;
  plate: readonly [number, number];
  unit?: 'mm' | 'inch';
}

export const tubeAndPlateArea = ({ radius, height, plate: [a, b] }: TubeAndPlate) =>
  2 * Math.PI * radius * height + a * b;

/** A surface of revolution (type 120) and a ruled one (118) between lines (110); IGES 5.3. */
export function buildIges({ radius, height, plate: [a, b], unit = 'mm' }: TubeAndPlate): string {
  const real = (value: number) => (Number.isInteger(value) ? `${value}.` : String(value));
  const side = 5 * radius;
  const makeLine = (...at: number[]) => [110, ...at.map(real)];
  // Directory entries have two lines each: the n-th has the number 2n − 1.
  const entities: (string | number)[][] = [
    makeLine(0, 0, 0, 0, 0, 1),
    makeLine(radius, 0, 0, radius, 0, height),
    [120, 1, 3, '0.', real(2 * Math.PI)],
    makeLine(side, 0, 0, side + a, 0, 0),
    makeLine(side, b, 0, side + a, b, 0),
    [118, 7, 9, 0, 0],
  ];
  const unitFlag = unit === 'inch' ? [1, '4HINCH'] : [2, '2HMM'];
  const global = [
    '1H,,1H;,4Htube,9Htube.iges,10HScanwright,3H1.0,32,38,6,308,15,4Htube,1.',
    ...unitFlag,
    '1,0.01,15H20260101.000000,0.0000001,1000.,0H,0H,11,0,15H20260101.000000;',
  ].join(',');
  const section = (letter: string, texts: string[], width = 72) =>
    texts.map((text, i) => `${text.padEnd(width)}${letter}${String(i + 1).padStart(7)}`);
  const start = section('S', ['Tube and plate']);
  const globals = section('G', global.match(/.{1,72}/g) ?? []);
  const parameters = entities.map(
    (values, i) => `${values.join(',')};`.padEnd(64) + String(2 * i + 1).padStart(8),
  );
  const field = (value: string | number) => String(value).padStart(8);
  const directory = entities.flatMap(([type], i) => {
    // Lines only serve the surfaces.
    const status = type === 110 ? '00010000' : '00000000';
    return [
      [type, i + 1, 0, 0, 0, 0, 0, 0, status].map(field).join(''),
      [type, 0, 0, 1, 0, '', '', '', 0].map(field).join(''),
    ];
  });
  const lines = [...start, ...globals, ...section('D', directory), ...section('P', parameters)];
  const counts = [start, globals, directory, parameters].map(
    ({ length }, i) => 'SGDP'[i] + String(length).padStart(7),
  );
  return [...lines, `${counts.join('').padEnd(72)}T      1`, ''].join('\n');
}
