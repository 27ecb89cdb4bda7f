/** The thread that a CAD file is read on: bytes come in, the model or a sentence about what is wrong goes out. */
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type CadFileFormat, type OcctModule, readCad } from '#formats/cad/cad-model.ts';
import { FormatError } from '#formats/format-error.ts';
import { type CodeInstance, type CompiledCode, instanceOf } from './webassembly.ts';

export interface CadWork {
  format: CadFileFormat;
  bytes: Uint8Array;
  name: string;
  deflectionMm: number | undefined;
  /** the code of the reader, compiled */
  reader: CompiledCode;
}

type OpenOcct = (options: {
  print(): void;
  printErr(): void;
  instantiateWasm(imports: object, done: (instance: CodeInstance) => void): object;
}) => Promise<OcctModule>;
const openOcct = createRequire(import.meta.url)('occt-import-js') as OpenOcct;
const silent = () => undefined;

const { format, bytes, name, deflectionMm, reader } = workerData as CadWork;
try {
  const occt = await openOcct({
    print: silent,
    printErr: silent,
    instantiateWasm(imports, done) {
      const instance = instanceOf(reader, imports);
      done(instance);
      return instance.exports;
    },
  });
  const model = readCad(occt, format, bytes, name, deflectionMm);
  const { mesh, faces } = model;
  const buffers = [mesh.positions, mesh.indices, faces].map(({ buffer }) => buffer as ArrayBuffer);
  parentPort?.postMessage({ model }, buffers);
} catch (error) {
  const refused = error instanceof FormatError ? { code: error.code, message: error.message } : undefined;
  parentPort?.postMessage(refused ? { refused } : { error });
}
