/** The part of WebAssembly that the reader of CAD needs; TypeScript's own types for it live in the DOM library. */

/** Compiled code; may be sent to other threads. */
export type CompiledCode = object;
export interface CodeInstance {
  readonly exports: object;
}

interface Platform {
  compile(bytes: Uint8Array): Promise<CompiledCode>;
  Instance: new (code: CompiledCode, imports: object) => CodeInstance;
}
const platform = (globalThis as unknown as { WebAssembly: Platform }).WebAssembly;

/** @throws CompileError when the bytes are no module */
export const compileCode = (bytes: Uint8Array): Promise<CompiledCode> => platform.compile(bytes);

export const instanceOf = (code: CompiledCode, imports: object): CodeInstance =>
  new platform.Instance(code, imports);
