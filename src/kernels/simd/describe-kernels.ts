/** Generates the text of signatures.ts: parameters of the exported functions and fields of the exported classes. */
import { ClassDeclaration, FunctionDeclaration, Parser } from 'assemblyscript';

/** Sizes in bytes; each field is aligned to its size, as the compiler lays out a class. */
const byteSizes: Record<string, number> = { usize: 4, i32: 4, u32: 4, f32: 4, f64: 8 };
/** CommonFlags.Export of the compiler. */
const isExported = 2;

/** @throws Error if a source does not parse, or an export has a type that JavaScript can't pass */
export function describeKernels(sources: readonly { name: string; text: string }[]): string {
  const parser = new Parser();
  for (const { name, text } of sources) parser.parseFile(text, name, true);
  if (parser.diagnostics.length > 0) throw new Error(parser.diagnostics.map(String).join('\n'));
  const statements = parser.sources.flatMap((source) => source.statements);
  const layouts = statements
    .filter((node) => node instanceof ClassDeclaration)
    .filter((node) => node.is(isExported))
    .map((node) => ({ name: node.name.text, ...placeFields(node) }));
  const kinds = new Set(['bool', ...Object.keys(byteSizes), ...layouts.map(({ name }) => name)]);
  const kernels = statements
    .filter((node) => node instanceof FunctionDeclaration)
    .filter((node) => node.is(isExported) && node.typeParameters === null)
    .map(({ name, signature }) => {
      const parameters = signature.parameters.map((parameter) => {
        const kind = parameter.type.range.toString();
        if (!kinds.has(kind)) throw new Error(`${name.text}: ${parameter.name.text} is of kind ${kind}`);
        return `${parameter.name.text}: '${kind}'`;
      });
      return `  ${name.text}: [{ ${parameters.join(', ')} }, '${signature.returnType.range}'],`;
    });
  const places = layouts.map(({ name, bytes, fields }) => `  ${name}: [${bytes}, { ${fields.join(', ')} }],`);
  return [
    '/** Made by `npm run build:kernels` from assembly/; not edited by hand. */',
    '',
    '/** Parameters of each kernel, in their order, and what it gives. */',
    `export const signatures = {\n${kernels.sort().join('\n')}\n} as const;`,
    '',
    '/** Bytes of each layout in memory; where its fields lie in it. */',
    `export const layouts = {\n${places.sort().join('\n')}\n} as const;\n`,
  ].join('\n');
}

function placeFields({ members }: ClassDeclaration) {
  let [end, widest] = [0, 1];
  const fields = members.map((member) => {
    const kind = 'type' in member ? String((member.type as { range: unknown }).range) : '';
    const width = byteSizes[kind];
    if (!width) throw new Error(`${member.name.text} is of kind ${kind}, which has no place in a layout`);
    const at = Math.ceil(end / width) * width;
    [end, widest] = [at + width, Math.max(widest, width)];
    return `${member.name.text}: ['${kind}', ${at}]`;
  });
  return { bytes: Math.ceil(end / widest) * widest, fields };
}
