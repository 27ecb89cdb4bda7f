/** Writes a STEP file: a block with a round through hole, whose volume and area are known exactly. */
type Vector = readonly number[];

const schemas = {
  AP203: 'CONFIG_CONTROL_DESIGN',
  AP214: 'AUTOMOTIVE_DESIGN',
  AP242: 'AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF',
};

export interface Block {
  /** in the file's unit */
  size: readonly [number, number, number];
  holeRadius: number;
  unit?: 'mm' | 'inch' | 'm';
  schema?: keyof typeof schemas;
  /** an assembly of several blocks: the centre of each, and the direction of its x axis */
  placed?: readonly { at: Vector; along: Vector }[];
}

export const blockVolume = ({ size: [x, y, z], holeRadius: r }: Block) => (x * y - Math.PI * r * r) * z;
export const blockArea = ({ size: [x, y, z], holeRadius: r }: Block) =>
  2 * (x * y + y * z + z * x) - 2 * Math.PI * r * r + 2 * Math.PI * r * z;

/** The block is centred at zero; the hole runs along z. Seven faces, the hole's is the last. */
export function buildStep(block: Block): string {
  const { size, holeRadius, unit = 'mm', schema = 'AP214', placed = [] } = block;
  const lines: string[] = [];
  const add = (entity: string) => {
    lines.push(`#${lines.length + 1}=${entity};`);
    return `#${lines.length}`;
  };
  const real = (value: number) => (Number.isInteger(value) ? `${value}.` : String(value).toUpperCase());
  const list = (values: readonly (string | number)[]) =>
    `(${values.map((value) => (typeof value === 'number' ? real(value) : value)).join(',')})`;
  const point = (at: Vector) => add(`CARTESIAN_POINT('',${list(at)})`);
  const direction = (along: Vector) => add(`DIRECTION('',${list(along)})`);
  const placement = (at: Vector, axis: Vector, reference: Vector) =>
    add(`AXIS2_PLACEMENT_3D('',${point(at)},${direction(axis)},${direction(reference)})`);
  const vertex = (at: Vector) => add(`VERTEX_POINT('',${point(at)})`);
  const edge = (from: string, to: string, curve: string) => add(`EDGE_CURVE('',${from},${to},${curve},.T.)`);
  const oriented = (of: string, forward: boolean) =>
    add(`ORIENTED_EDGE('',*,*,${of},${forward ? '.T.' : '.F.'})`);
  const loop = (edges: string[]) => add(`EDGE_LOOP('',${list(edges)})`);

  const [hx, hy, hz] = size.map((length) => length / 2);
  const at = (corner: number): Vector => [
    corner & 1 ? hx : -hx,
    corner & 2 ? hy : -hy,
    corner & 4 ? hz : -hz,
  ];
  const corners = Array.from({ length: 8 }, (_, corner) => vertex(at(corner)));
  const known = new Map<string, string>();
  const side = (from: number, to: number) => {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const key = `${low} ${high}`;
    const made = known.get(key);
    if (made !== undefined) return oriented(made, from === low);
    const axis = Math.log2(high - low);
    const along = [0, 1, 2].map((k) => (k === axis ? 1 : 0));
    const curve = add(`LINE('',${point(at(low))},${add(`VECTOR('',${direction(along)},1.)`)})`);
    const made2 = edge(corners[low], corners[high], curve);
    known.set(key, made2);
    return oriented(made2, from === low);
  };
  const rings = [-hz, hz].map((z) => {
    const start = vertex([holeRadius, 0, z]);
    const curve = add(`CIRCLE('',${placement([0, 0, z], [0, 0, 1], [1, 0, 0])},${real(holeRadius)})`);
    return { start, edge: edge(start, start, curve) };
  });
  const upwards = add(
    `LINE('',${point([holeRadius, 0, -hz])},${add(`VECTOR('',${direction([0, 0, 1])},1.)`)})`,
  );
  const seam = edge(rings[0].start, rings[1].start, upwards);

  // Corners counter-clockwise as seen from outside.
  const quads: [number[], Vector][] = [
    [
      [0, 4, 6, 2],
      [-1, 0, 0],
    ],
    [
      [1, 3, 7, 5],
      [1, 0, 0],
    ],
    [
      [0, 1, 5, 4],
      [0, -1, 0],
    ],
    [
      [2, 6, 7, 3],
      [0, 1, 0],
    ],
    [
      [0, 2, 3, 1],
      [0, 0, -1],
    ],
    [
      [4, 5, 7, 6],
      [0, 0, 1],
    ],
  ];
  const faces = quads.map(([quad, normal]) => {
    const outer = loop(quad.map((corner, k) => side(corner, quad[(k + 1) % 4])));
    const bounds = [add(`FACE_OUTER_BOUND('',${outer},.T.)`)];
    if (normal[2] !== 0) {
      const ring = rings[normal[2] > 0 ? 1 : 0].edge;
      bounds.push(add(`FACE_BOUND('',${loop([oriented(ring, normal[2] < 0)])},.T.)`));
    }
    const reference = normal[0] === 0 ? [1, 0, 0] : [0, 1, 0];
    const plane = add(`PLANE('',${placement(at(quad[0]), normal, reference)})`);
    return add(`ADVANCED_FACE('',${list(bounds)},${plane},.T.)`);
  });
  const around = loop([
    oriented(seam, true),
    oriented(rings[1].edge, true),
    oriented(seam, false),
    oriented(rings[0].edge, false),
  ]);
  const cylinder = add(
    `CYLINDRICAL_SURFACE('',${placement([0, 0, -hz], [0, 0, 1], [1, 0, 0])},${real(holeRadius)})`,
  );
  faces.push(add(`ADVANCED_FACE('',(${add(`FACE_OUTER_BOUND('',${around},.T.)`)}),${cylinder},.F.)`));

  const solid = add(`MANIFOLD_SOLID_BREP('Block',${add(`CLOSED_SHELL('',${list(faces)})`)})`);
  const prefix = unit === 'm' ? '$' : '.MILLI.';
  const metre = add(`(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(${prefix},.METRE.))`);
  let length = metre;
  if (unit === 'inch') {
    const exponents = add('DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)');
    const measure = add(`LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),${metre})`);
    length = add(`(CONVERSION_BASED_UNIT('INCH',${measure})LENGTH_UNIT()NAMED_UNIT(${exponents}))`);
  }
  const angle = add('(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))');
  const solidAngle = add('(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())');
  const accuracy = add(
    `UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),${length},'distance_accuracy_value','')`,
  );
  const context = add(
    `(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((${accuracy}))GLOBAL_UNIT_ASSIGNED_CONTEXT((${length},${angle},${solidAngle}))REPRESENTATION_CONTEXT('',''))`,
  );
  const frame = placement([0, 0, 0], [0, 0, 1], [1, 0, 0]);
  const shape = add(`ADVANCED_BREP_SHAPE_REPRESENTATION('',(${frame},${solid}),${context})`);
  const application = add(`APPLICATION_CONTEXT('mechanical design')`);
  const product = add(
    `PRODUCT('Block','Block','',(${add(`PRODUCT_CONTEXT('',${application},'mechanical')`)}))`,
  );
  const formation = add(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
  const definition = add(
    `PRODUCT_DEFINITION('design','',${formation},${add(`PRODUCT_DEFINITION_CONTEXT('part definition',${application},'design')`)})`,
  );
  add(`SHAPE_DEFINITION_REPRESENTATION(${add(`PRODUCT_DEFINITION_SHAPE('','',${definition})`)},${shape})`);
  if (placed.length > 0) {
    const whole = add(
      `PRODUCT('Assembly','Assembly','',(${add(`PRODUCT_CONTEXT('',${application},'mechanical')`)}))`,
    );
    const wholeDefinition = add(
      `PRODUCT_DEFINITION('design','',${add(`PRODUCT_DEFINITION_FORMATION('','',${whole})`)},${add(`PRODUCT_DEFINITION_CONTEXT('part definition',${application},'design')`)})`,
    );
    const places = placed.map(({ at, along }) => placement(at, [0, 0, 1], along));
    const wholeShape = add(`SHAPE_REPRESENTATION('',${list([frame, ...places])},${context})`);
    add(
      `SHAPE_DEFINITION_REPRESENTATION(${add(`PRODUCT_DEFINITION_SHAPE('','',${wholeDefinition})`)},${wholeShape})`,
    );
    for (const [i, place] of places.entries()) {
      const use = add(
        `NEXT_ASSEMBLY_USAGE_OCCURRENCE('${i + 1}','Block ${i + 1}','',${wholeDefinition},${definition},$)`,
      );
      const moved = add(`ITEM_DEFINED_TRANSFORMATION('','',${frame},${place})`);
      const relation = add(
        `(REPRESENTATION_RELATIONSHIP('','',${shape},${wholeShape})REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(${moved})SHAPE_REPRESENTATION_RELATIONSHIP())`,
      );
      add(
        `CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(${relation},${add(`PRODUCT_DEFINITION_SHAPE('','',${use})`)})`,
      );
    }
  }
  return [
    'ISO-10303-21;',
    'HEADER;',
    "FILE_DESCRIPTION((''),'2;1');",
    "FILE_NAME('block.step','2026-01-01T00:00:00',(''),(''),'','','');",
    `FILE_SCHEMA(('${schemas[schema]}'));`,
    'ENDSEC;',
    'DATA;',
    ...lines,
    'ENDSEC;',
    'END-ISO-10303-21;',
    '',
  ].join('\n');
}
