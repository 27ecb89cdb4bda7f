import { KernelError } from './kernel-error.ts';
import {
  type Address,
  type LayoutFields,
  type LayoutName,
  layoutBytes,
  maximumPages,
  pageBytes,
  sharedMemory,
  type WasmMemory,
  writeLayout,
} from './simd/webassembly.ts';

const gibibyte = 1024 ** 3;
/** The first page stays free: the compiled module may keep constants there. */
const firstAddress = pageBytes;

/**
 * The memory of one piece of work: handed out from the bottom up, given back as a whole or down to a mark.
 * Contents are whatever was there before; every kernel writes what it later reads.
 */
export class Arena {
  readonly memory: WasmMemory;
  #top = firstAddress;

  constructor(memory: WasmMemory = sharedMemory()) {
    this.memory = memory;
  }

  /** Bytes that the memory holds now, in use or not. */
  get size(): number {
    return this.memory.buffer.byteLength;
  }

  /** @throws KernelError TOO_LARGE beyond the 4 GiB that 32-bit addresses reach */
  allocate(bytes: number, purpose: string): number {
    const address = this.#top;
    const top = Math.ceil((address + bytes + 16) / 16) * 16;
    const pages = Math.ceil(top / pageBytes);
    if (pages > maximumPages) {
      throw new KernelError(
        'TOO_LARGE',
        `${purpose} would need ${(top / gibibyte).toFixed(1)} GiB of working memory, and 4 GiB is the limit: choose a region of the scan, or a coarser one.`,
      );
    }
    const missing = pages - this.memory.buffer.byteLength / pageBytes;
    if (missing > 0) {
      try {
        this.memory.grow(missing);
      } catch {
        throw new KernelError(
          'TOO_LARGE',
          `${purpose} needs ${(top / gibibyte).toFixed(1)} GiB of working memory, which this machine does not give.`,
        );
      }
    }
    this.#top = top;
    return address;
  }

  /** Writes a layout to memory, where kernels find it by its address. */
  place<Name extends LayoutName>(name: Name, fields: LayoutFields<Name>): Address<Name> {
    const address = this.allocate(layoutBytes(name), 'A layout') as Address<Name>;
    this.change(name, address, fields);
    return address;
  }

  /** Writes some fields of a layout anew; not while a kernel reads it. */
  change<Name extends LayoutName>(
    name: Name,
    address: Address<Name>,
    fields: Partial<LayoutFields<Name>>,
  ): void {
    writeLayout(this.memory, name, address, fields);
  }

  mark(): number {
    return this.#top;
  }

  release(mark: number = firstAddress): void {
    this.#top = mark;
  }

  bytes(address: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  floats(address: number, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.memory.buffer, address, length);
  }

  integers(address: number, length: number): Uint32Array<SharedArrayBuffer> {
    return new Uint32Array(this.memory.buffer, address, length);
  }

  doubles(address: number, length: number): Float64Array<SharedArrayBuffer> {
    return new Float64Array(this.memory.buffer, address, length);
  }
}
