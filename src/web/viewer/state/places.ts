import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { findChosen, keepPlaces, markPlaces, type PlaceMarks } from '#kernels/places/place-marks.ts';
import { listPlaceScalars, type PlaceScalar, readPlaceScalar } from '#kernels/places/place-scalars.ts';
import { nearestRow, type PlaceTable, sortRows } from '#kernels/places/place-table.ts';
import type { FrameScheduler } from '../data/frame-scheduler.ts';
import { readMessage } from '../data/read-message.ts';
import type { Loading } from './loading.ts';
import { Signal } from './signal.ts';
import type { ViewStore } from './view-store.ts';

/** All places of a surface, and their source. */
export interface PlaceSource {
  /** such as `Defects` */
  title: string;
  /** one of them, such as `Defect` */
  noun: string;
  /** vertex attribute of the surface with the place id of each vertex */
  attribute: string;
  load(signal: AbortSignal): Promise<PlaceTable>;
}

type Defects = ViewState['defects'];

/** The places of the current surface: which are shown, in what order they are listed, and which is selected. */
export class Places {
  readonly table = new Signal<PlaceTable | null>(null);
  readonly loading = new Signal<Loading>({ status: 'none' });
  source: PlaceSource | null = null;
  readonly #store: ViewStore;
  readonly #scheduler: FrameScheduler;
  readonly #onChange: () => void;
  #load: AbortController | null = null;
  #kept: {
    table: PlaceTable;
    filter: Defects['filter'];
    rows: Uint32Array;
    shown: Uint8Array | null;
  } | null = null;
  #listed: { rows: Uint32Array; order: Defects['order']; listed: Uint32Array } | null = null;
  #marks: PlaceMarks | null = null;
  #scalars: { table: PlaceTable; list: readonly PlaceScalar[] } | null = null;

  constructor(store: ViewStore, scheduler: FrameScheduler, onChange: () => void) {
    this.#store = store;
    this.#scheduler = scheduler;
    this.#onChange = onChange;
  }

  set(source: PlaceSource | null): void {
    this.#load?.abort();
    this.source = source;
    this.table.set(null);
    this.#kept = null;
    this.#listed = null;
    this.#marks = null;
    this.loading.set({ status: 'none' });
    if (!source) return;
    const load = new AbortController();
    this.#load = load;
    const finish = this.#scheduler.begin();
    this.loading.set({ status: 'loading', stage: `Loading the ${source.title.toLowerCase()}` });
    source
      .load(load.signal)
      .then(
        (table) => {
          if (load.signal.aborted) return;
          this.table.set(table);
          this.loading.set({ status: 'ready' });
        },
        (cause) => {
          if (load.signal.aborted) return;
          this.loading.set({
            status: 'failed',
            problem: readMessage(cause),
          });
        },
      )
      .finally(() => {
        this.#onChange();
        finish();
      });
  }

  /** Rows of the table that pass the filter. */
  rows(): Uint32Array {
    return this.#keep()?.rows ?? new Uint32Array();
  }

  /** The same rows in the order of the list. */
  listed(): Uint32Array {
    const rows = this.rows();
    const { order } = this.#store.get().defects;
    if (this.#listed?.rows !== rows || this.#listed.order !== order) {
      const table = this.table.get();
      this.#listed = { rows, order, listed: table ? sortRows(table, rows, order) : rows };
    }
    return this.#listed.listed;
  }

  chosenRow(): number | null {
    const table = this.table.get();
    return table && findChosen(table, this.#store.get().selectedDefectId);
  }

  /** Id of the place nearest to a point, as stored in the state; null if none is within the distance. */
  idAt(pointMm: Vector3, withinMm: number): string | null {
    const table = this.table.get();
    const row = table && nearestRow(table, pointMm, withinMm);
    return table && row !== null ? String(table.ids[row]) : null;
  }

  /** The columns by which the surface can be coloured. */
  scalars(): readonly PlaceScalar[] {
    const table = this.table.get();
    if (table && this.#scalars?.table !== table) this.#scalars = { table, list: listPlaceScalars(table) };
    return table ? (this.#scalars?.list ?? []) : [];
  }

  /** Adds a column as a scalar of the surface, unless it has one of that name. */
  addScalar(scalars: Record<string, Float32Array<ArrayBuffer>>, name: string): void {
    const table = this.table.get();
    const ids = scalars[this.source?.attribute ?? ''];
    if (!table || !ids || scalars[name]) return;
    const values = readPlaceScalar(table, name, ids);
    if (values) scalars[name] = values;
  }

  /** The places that the surface shows and marks; the same object until that changes. Null if it has none. */
  marks(): PlaceMarks | null {
    const kept = this.#keep();
    const row = this.chosenRow();
    if (!kept || !this.source) return null;
    const marks = markPlaces(kept.table, this.source.attribute, kept.shown, row);
    if (this.#marks?.shown !== marks.shown || this.#marks.chosenId !== marks.chosenId) this.#marks = marks;
    return this.#marks;
  }

  #keep() {
    const table = this.table.get();
    const { filter } = this.#store.get().defects;
    if (!table) return null;
    if (this.#kept?.table !== table || this.#kept.filter !== filter)
      this.#kept = { table, filter, ...keepPlaces(table, filter) };
    return this.#kept;
  }
}
