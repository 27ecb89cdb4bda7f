/** Loads the third-party reader of CAD files for the format. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CadModel, OcctModule } from '#formats/cad/cad-model.ts';
import { type CadFormatId, cadFormats } from '#formats/registry.ts';

/** The part of the WebAssembly API that is needed; TypeScript declares it only in the DOM library. */
interface Platform {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (code: object, imports: object) => { exports: object };
}
type OpenOcct = (options: {
  print(): void;
  printErr(): void;
  instantiateWasm(imports: object, done: (instance: { exports: object }) => void): object;
}) => Promise<OcctModule>;

const { compile, Instance } = (globalThis as unknown as { WebAssembly: Platform }).WebAssembly;
const require = createRequire(import.meta.url);
const silent = () => undefined;
let code: Promise<object> | undefined;

/** A reader with fresh memory, free of data of earlier files. Its code is compiled once. */
async function openReader(): Promise<OcctModule> {
  code ??= readFile(require.resolve('occt-import-js/dist/occt-import-js.wasm')).then(compile);
  const compiled = await code;
  return (require('occt-import-js') as OpenOcct)({
    print: silent,
    printErr: silent,
    instantiateWasm(imports, done) {
      const instance = new Instance(compiled, imports);
      done(instance);
      return instance.exports;
    },
  });
}

/**
 * Reads a CAD file synchronously; the process has limits and can be killed.
 * @throws FormatError when the file cannot be read
 */
export async function readCadFile(file: {
  format: CadFormatId;
  bytes: Uint8Array;
  name: string;
  deflectionMm: number | undefined;
}): Promise<CadModel> {
  return cadFormats[file.format].open(await openReader(), file.bytes, file.name, file.deflectionMm);
}
