import { layouts, signatures } from './signatures.ts';

/** The part of WebAssembly that the kernels use; TypeScript's own types for it live in the DOM library. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}
/** A compiled module; can be sent to other threads. */
export type WasmModule = object;

interface Platform {
  Memory: new (descriptor: { initial: number; maximum: number; shared: true }) => WasmMemory;
  Instance: new (module: WasmModule, imports: { env: { memory: WasmMemory } }) => { exports: unknown };
  Module: new (bytes: Uint8Array) => WasmModule;
}
const platform = (globalThis as unknown as { WebAssembly: Platform }).WebAssembly;

export const pageBytes = 65536;
export const maximumPages = 65536;

/** Memory shared by all threads; it grows up to 4 GiB and takes physical memory only for pages that were written. */
export const sharedMemory = (): WasmMemory =>
  new platform.Memory({ initial: 1, maximum: maximumPages, shared: true });

/** @throws CompileError if the bytes are not a module (built by `npm run build:kernels`) */
export const compileKernels = (bytes: Uint8Array): WasmModule => new platform.Module(bytes);

type Signatures = typeof signatures;
type Layouts = typeof layouts;
export type KernelName = keyof Signatures;
export type LayoutName = keyof Layouts;

declare const layoutName: unique symbol;
/** Address of a layout in memory; created by `Arena.place`. */
export type Address<Name extends LayoutName> = number & { readonly [layoutName]: Name };

type ValueOf<Kind> = Kind extends LayoutName ? Address<Kind> : Kind extends 'bool' ? boolean : number;
/** Parameters of a kernel, by name; see assembly/ for their meaning. Addresses are byte offsets in `memory`. */
export type KernelInput<Name extends KernelName> = {
  readonly [Key in keyof Signatures[Name][0]]: ValueOf<Signatures[Name][0][Key]>;
};
export type KernelOutput<Name extends KernelName> = Signatures[Name][1] extends 'void' ? undefined : number;
export type LayoutFields<Name extends LayoutName> = { readonly [Key in keyof Layouts[Name][1]]: number };

export type Kernels = { readonly memory: WasmMemory } & {
  readonly [Name in KernelName]: (input: KernelInput<Name>) => KernelOutput<Name>;
};

const instances = new WeakMap<WasmMemory, Kernels>();

/** Instantiates the kernels over a memory, once per memory. Compiled code is shared between instances. */
export function instantiateKernels(module: WasmModule, memory: WasmMemory): Kernels {
  const known = instances.get(memory);
  if (known) return known;
  const { exports } = new platform.Instance(module, { env: { memory } });
  const raw = exports as Record<string, (...values: unknown[]) => unknown>;
  const named = Object.entries(signatures).map(([name, [parameters]]) => {
    const names = Object.keys(parameters);
    return [
      name,
      (input: Readonly<Record<string, unknown>>) => raw[name](...names.map((parameter) => input[parameter])),
    ];
  });
  const kernels = { ...Object.fromEntries(named), memory } as Kernels;
  instances.set(memory, kernels);
  return kernels;
}

/** Writes fields of a layout to its address. */
export function writeLayout<Name extends LayoutName>(
  { buffer }: WasmMemory,
  name: Name,
  address: number,
  fields: Partial<LayoutFields<Name>>,
): void {
  const [bytes, fieldPlaces] = layouts[name];
  const places: Record<string, readonly [string, number]> = fieldPlaces;
  const view = new DataView(buffer, address, bytes);
  for (const [field, value] of Object.entries(fields as Record<string, number>)) {
    const [kind, at] = places[field];
    if (kind === 'f64') view.setFloat64(at, value, true);
    else if (kind === 'f32') view.setFloat32(at, value, true);
    else view.setInt32(at, value, true);
  }
}

/** Size of a layout in bytes. */
export const layoutBytes = (name: LayoutName): number => layouts[name][0];
