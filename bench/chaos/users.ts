/** User actions repeated while the product is killed, and the invariants that must hold in the end. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { unzipSync } from 'fflate';
import { plainView } from '../../e2e/support/one-of-each.ts';
import { tubeNrrd } from '../../e2e/support/scans.ts';
import { seededRandom } from '../../src/kernels/random.ts';
import type { Product } from './product.ts';

const POLL_MS = 150;
/** Operations that have not finished by then count as lost. */
const LONGEST_MS = 900_000;
const CHUNK = 100_000;
const kinds = ['createMesh', 'runWallThickness', 'runIntegrityAnalysis'] as const;

/** steps of the recipe that is run */
const recipeSteps = ['createMesh', 'runWallThickness'];

interface Work {
  id: string;
  operation: string;
  status: string;
  finishedAt: string | null;
  error: { code: string; detail: string } | null;
  outputDataObjectIds: string[];
  url: string | null;
  sha256: string | null;
  completedCount: number;
  downloadUrl: string | null;
}
interface Run extends Work {
  steps: { status: string; error: { code: string } | null }[];
}
interface Page<Row> {
  count: number;
  results: Row[];
}
interface Data {
  id: string;
  kind: string;
  metadata: Record<string, unknown>;
  files: { fileName: string; sha256: string }[];
  createdByOperation: string;
}
interface Project {
  id: string;
  name: string;
  volumeId: string;
  bookmarkId: string;
  /** number of requests per kind of operation; undefined after a repeated run, which makes it unknown */
  asked: Map<string, number> | undefined;
}
type Random = () => number;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export class Users {
  readonly tried = new Map<string, number>();
  readonly losses: string[] = [];
  /** operations whose process was killed twice, and that were requested again */
  setAside = 0;
  readonly #product: Product;
  readonly #projects: Project[] = [];
  /** expected result of each kind of operation on the part, when nothing is killed */
  readonly #expected = new Map<string, string>();
  /** checked once more in the end */
  readonly #checks: { what: string; check: () => Promise<void> }[] = [];
  #workspaceId = '';
  #recipePk = '';
  #scan: Uint8Array = new Uint8Array();
  #count = 0;

  constructor(product: Product) {
    this.#product = product;
  }

  /** Creates the workspace, the recipe and the first part, and measures the expected results on it. */
  async prepare(): Promise<void> {
    const { organizations } = await this.#get<{
      organizations: { id: string; workspaces: { id: string }[] }[];
    }>('/api/v2/me');
    const [{ id, workspaces }] = organizations;
    this.#workspaceId = workspaces[0].id;
    this.#scan = await tubeNrrd();
    const recipe = await this.#post<{ recipePk: string }>(`/api/v2/organizations/${id}/recipeVersions`, {
      name: 'Walls',
      steps: [
        { key: 'mesh', operation: 'createMesh' },
        { key: 'thickness', operation: 'runWallThickness', needs: ['mesh'] },
      ],
    });
    this.#recipePk = recipe.recipePk;
    await this.#upload(seededRandom(0));
    for (const kind of kinds) await this.#analyse(() => 0.999, kind);
  }

  /** Runs all users at once until `isOver`; resolves when everything they started has finished. */
  async run(seed: number, isOver: () => boolean): Promise<void> {
    const actions = {
      upload: this.#upload,
      analysis: this.#analyse,
      recipe: this.#runRecipe,
      bulk: this.#changeMany,
      export: this.#export,
      render: this.#render,
      view: this.#view,
      change: this.#change,
    };
    const loops = Object.entries(actions).map(async ([what, act], i) => {
      const random = seededRandom(1000 * seed + i);
      while (!isOver()) {
        await this.#attempt(what, () => act.call(this, random));
        await delay(200 + 1500 * random());
      }
    });
    await Promise.all(loops);
  }

  /** Checks again everything that was reported as done. */
  async checkAll(): Promise<number> {
    for (const { what, check } of this.#checks) {
      await check().catch((error: Error) =>
        this.losses.push(`${what}, in the final check: ${error.message}`),
      );
    }
    for (const { id, asked } of this.#projects) {
      if (!asked) continue;
      const countItems = async (path: string) =>
        (await this.#get<Page<Work>>(`/api/v2/projects/${id}/${path}`)).count;
      // A recipe that is requested while it waits or runs is executed only once.
      const runs = await countItems('recipeInvocations');
      const runsAsked = asked.get('recipe') ?? 0;
      if (runs > runsAsked || (runs === 0 && runsAsked > 0))
        this.losses.push(`the recipe was requested ${runsAsked} times but has ${runs} runs`);
      for (const [operation, times] of asked) {
        if (operation === 'recipe') continue;
        const wanted = times + (recipeSteps.includes(operation) ? runs : 0);
        const count = await countItems(`operations?operation=${operation}`);
        if (count !== wanted)
          this.losses.push(`${operation} was requested ${wanted} times but exists ${count} times`);
      }
    }
    const names = await this.#get<Page<{ name: string }>>('/api/v2/projects?page_size=1');
    if (names.count !== this.#count)
      this.losses.push(`${this.#count} projects were made, ${names.count} are there`);
    return this.#checks.length;
  }

  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    this.tried.set(what, (this.tried.get(what) ?? 0) + 1);
    await act().catch((error: Error) => {
      this.losses.push(`${what}: ${error.message}`);
      console.log(this.losses.at(-1));
    });
  }

  #get<Answer>(path: string): Promise<Answer> {
    return this.#product.ask<Answer>('GET', path);
  }

  #post<Answer = Work>(path: string, body: unknown = {}): Promise<Answer> {
    return this.#product.ask<Answer>('POST', path, body);
  }

  #note(what: string, check: () => Promise<void>): void {
    this.#checks.push({ what, check });
  }

  /** One of the projects that hold a scan. */
  #pick(random: Random): Project {
    return this.#projects[Math.floor(random() * this.#projects.length)];
  }

  async #ended(
    read: () => Promise<Work | undefined>,
    retry?: (id: string) => Promise<unknown>,
  ): Promise<Work> {
    for (const since = performance.now(); performance.now() - since < LONGEST_MS; await delay(POLL_MS)) {
      const work = await read();
      if (!work || !['completed', 'failed', 'cancelled'].includes(work.status)) continue;
      if (work.error?.code !== 'SET_ASIDE' || !retry) return work;
      this.setAside += 1;
      await retry(work.id);
    }
    throw new Error(`it did not end within ${LONGEST_MS / 1000} s`);
  }

  #completed(work: Work): Work {
    if (work.status !== 'completed')
      throw new Error(`it is ${work.status}: ${work.error?.code} ${work.error?.detail}`);
    return work;
  }

  async #bytes(address: string, expected?: string): Promise<Uint8Array> {
    const response = await this.#product.send(address, {});
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!response.ok || bytes.length === 0) throw new Error(`${address.slice(0, 60)}: ${response.status}`);
    if (expected && sha256(bytes) !== expected)
      throw new Error(`${address.slice(0, 60)} has content of another hash than recorded`);
    return bytes;
  }

  /** Checks that every file of a data object exists with the stated bytes. */
  async #checkFiles(dataObjectId: string): Promise<Data> {
    const data = await this.#get<Data>(`/api/v2/data/${dataObjectId}`);
    for (const file of data.files) {
      const name = encodeURIComponent(file.fileName);
      const { url } = await this.#get<{ url: string }>(`/api/v2/export/${dataObjectId}/${name}`);
      await this.#bytes(url, file.sha256);
    }
    return data;
  }

  #askedFor(project: Project, operation: string): void {
    project.asked?.set(operation, (project.asked.get(operation) ?? 0) + 1);
  }

  async #upload(random: Random): Promise<void> {
    this.#count += 1;
    const name = `Part ${this.#count}`;
    const { id } = await this.#post<{ id: string }>('/api/v2/projects', {
      workspaceId: this.#workspaceId,
      name,
    });
    const bytes = Buffer.concat([
      Buffer.from(`NRRD0004\n# ${name}\n`),
      this.#scan.subarray(this.#scan.indexOf(10) + 1),
    ]);
    await this.#send(id, bytes, random);
    const operation = this.#completed(
      await this.#ended(
        async () =>
          (await this.#get<Page<Work>>(`/api/v2/projects/${id}/operations?operation=ingest`)).results[0],
        (work) => this.#post(`/api/v2/operations/${work}/retry`),
      ),
    );
    const volumeId = operation.outputDataObjectIds[0];
    const check = async () => {
      const data = await this.#checkFiles(volumeId);
      if (!data.files.some((file) => file.sha256 === sha256(bytes)))
        throw new Error(`${name} is not the file that was sent`);
      const all = await this.#get<Page<Data>>(`/api/v2/projects/${id}/data?kind=volume`);
      if (all.count !== 1) throw new Error(`${name} holds ${all.count} volumes instead of one`);
    };
    await check();
    this.#note('upload', check);
    const viewState = { ...plainView, volumeId, meshId: null };
    const bookmark = await this.#post<{ id: string }>('/api/v2/bookmarks', {
      projectId: id,
      name,
      viewState,
    });
    const asked = new Map(['ingest', ...recipeSteps].map((kind) => [kind, kind === 'ingest' ? 1 : 0]));
    this.#projects.push({ id, name, volumeId, bookmarkId: bookmark.id, asked });
  }

  /** Uploads in parts, resuming at the offset that the service reports. */
  async #send(projectId: string, bytes: Uint8Array, random: Random): Promise<void> {
    const resumable = { 'Tus-Resumable': '1.0.0' };
    const metadata = { projectId, filename: 'tube.nrrd' };
    const created = await this.#product.send('/api/v2/uploads', {
      method: 'POST',
      headers: {
        ...resumable,
        'Upload-Length': String(bytes.length),
        'Upload-Metadata': Object.entries(metadata)
          .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
          .join(','),
      },
    });
    if (created.status !== 201) throw new Error(`no upload: ${created.status} ${await created.text()}`);
    const { pathname } = new URL(created.headers.get('location') ?? '', this.#product.url);
    for (const since = performance.now(); performance.now() - since < LONGEST_MS; ) {
      const head = await this.#product.send(pathname, { method: 'HEAD', headers: resumable });
      if (!head.ok) throw new Error(`the upload is ${head.status} in the middle`);
      const offset = Number(head.headers.get('upload-offset'));
      if (offset === bytes.length) return;
      const part = bytes.slice(offset, offset + Math.ceil(CHUNK * (0.2 + random())));
      const headers = {
        ...resumable,
        'Upload-Offset': String(offset),
        'Content-Type': 'application/offset+octet-stream',
      };
      await this.#product.sendOnce(pathname, { method: 'PATCH', headers, body: part }).catch(() => undefined);
    }
    throw new Error('the upload did not end');
  }

  /** Runs one kind of analysis; some runs are cancelled. */
  async #analyse(random: Random, kind: string = kinds[Math.floor(random() * kinds.length)]): Promise<void> {
    const project = this.#pick(random);
    const { id } = await this.#post(`/api/v2/projects/${project.id}/${kind}`);
    this.#askedFor(project, kind);
    if (random() < 0.2) {
      await delay(1000 * random());
      // It may have finished in the meantime.
      await this.#post(`/api/v2/operations/${id}/cancel`).catch(() => undefined);
    }
    const read = () => this.#get<Work>(`/api/v2/operations/${id}`);
    const work = await this.#ended(read, () => this.#post(`/api/v2/operations/${id}/retry`));
    if (work.status === 'cancelled') {
      if (work.outputDataObjectIds.length > 0) throw new Error(`${kind} was stopped and left a result`);
      return;
    }
    this.#completed(work);
    const check = () => this.#checkResult(kind, id, work.outputDataObjectIds[0]);
    await check();
    this.#note(kind, check);
  }

  async #checkResult(kind: string, operationId: string, dataObjectId: string): Promise<void> {
    const data = await this.#checkFiles(dataObjectId);
    const { volumeMm3, meanMm, defects } = data.metadata as {
      volumeMm3?: number;
      meanMm?: number;
      defects?: unknown[];
    };
    const found = JSON.stringify([volumeMm3, meanMm, defects?.length]);
    const expected = this.#expected.get(kind) ?? found;
    this.#expected.set(kind, expected);
    if (found !== expected) throw new Error(`${kind} found ${found} instead of ${expected}`);
    const { outputDataObjectIds } = await this.#get<Work>(`/api/v2/operations/${operationId}`);
    if (outputDataObjectIds.length !== 1)
      throw new Error(`${kind} has ${outputDataObjectIds.length} results`);
  }

  async #runRecipe(random: Random): Promise<void> {
    const project = this.#pick(random);
    const { id } = await this.#post(`/api/v2/projects/${project.id}/runRecipe`, { recipePk: this.#recipePk });
    this.#askedFor(project, 'recipe');
    const read = () => this.#get<Run>(`/api/v2/recipeInvocations/${id}`);
    for (;;) {
      const work = await this.#ended(read);
      const { steps } = await read();
      if (!steps.some(({ error }) => error?.code === 'SET_ASIDE')) {
        this.#completed(work);
        break;
      }
      this.setAside += 1;
      project.asked = undefined;
      await this.#post(`/api/v2/recipeInvocations/${id}/retry`);
    }
    const check = async () => {
      const { steps, status } = await read();
      if (status !== 'completed' || steps.some((step) => step.status !== 'completed'))
        throw new Error(`the run is ${status}, its steps ${steps.map((step) => step.status).join(', ')}`);
      const { results } = await this.#get<{ results: { dataObjectId: string }[] }>(
        `/api/v2/recipeInvocations/${id}/results`,
      );
      for (const { dataObjectId } of results) await this.#checkFiles(dataObjectId);
      if (results.length !== 2) throw new Error(`the run has ${results.length} results instead of 2`);
    };
    await check();
    this.#note('recipe', check);
  }

  async #changeMany(random: Random): Promise<void> {
    const projects = this.#projects.slice(-8);
    const operation = (['addTags', 'downloadResults', 'runRecipe'] as const)[Math.floor(3 * random())];
    // Only the first is sure to have results.
    const some = {
      addTags: projects,
      runRecipe: projects.slice(-2),
      downloadResults: this.#projects.slice(0, 1),
    };
    const chosen = some[operation];
    const tag = `lot ${Math.floor(1e9 * random())}`;
    const { id } = await this.#post(`/api/v2/bulkProjects/${operation}`, {
      projectIds: chosen.map((project) => project.id),
      ...(operation === 'addTags' ? { tags: [tag] } : {}),
      ...(operation === 'runRecipe' ? { recipePk: this.#recipePk } : {}),
    });
    if (operation === 'runRecipe') for (const project of chosen) this.#askedFor(project, 'recipe');
    const read = () => this.#get<Work>(`/api/v2/bulkRequests/${id}`);
    const again = async () => {
      for (const project of chosen) project.asked = undefined;
      await this.#post(`/api/v2/bulkRequests/${id}/retry`);
    };
    const check = async () => {
      let work = await this.#ended(read, again);
      const items = await this.#get<Page<Work>>(`/api/v2/bulkRequests/${id}/items`);
      if (items.results.some(({ error }) => error?.code === 'SET_ASIDE')) {
        this.setAside += 1;
        await again();
        work = await this.#ended(read, again);
      }
      this.#completed(work);
      if (work.completedCount !== chosen.length) {
        const errors = items.results.map(({ status, error }) => `${status} ${error?.code} ${error?.detail}`);
        throw new Error(
          `${work.completedCount} of ${chosen.length} projects were done: ${errors.join('; ')}`,
        );
      }
      if (operation === 'downloadResults') unzipSync(await this.#bytes(work.downloadUrl ?? ''));
      if (operation !== 'addTags') return;
      const found = await this.#get<Page<unknown>>(
        `/api/v2/projects?tag=${encodeURIComponent(tag)}&page_size=1`,
      );
      if (found.count !== chosen.length) throw new Error(`${found.count} of ${chosen.length} have the tag`);
    };
    await check();
    this.#note(`bulk ${operation}`, check);
  }

  async #export(random: Random): Promise<void> {
    const project = this.#pick(random);
    const config = { exportMeshes: random() < 0.5, exportVolumes: true };
    const { id } = await this.#post(`/api/v2/projects/${project.id}/export`, { config });
    const check = async () => {
      const read = async () =>
        (await this.#get<Page<Work>>(`/api/v2/exports?project=${project.id}&page_size=100`)).results.find(
          (each) => each.id === id,
        );
      const work = this.#completed(await this.#ended(read, () => this.#post(`/api/v2/exports/${id}/retry`)));
      unzipSync(await this.#bytes(work.url ?? '', work.sha256 ?? ''));
    };
    await check();
    this.#note('export', check);
  }

  async #render(random: Random): Promise<void> {
    const { bookmarkId } = this.#pick(random);
    const renders = `/api/v2/bookmarks/${bookmarkId}/renders`;
    const size = { width: 200 + Math.floor(600 * random()), height: 300 };
    const { id } = await this.#post(renders, size);
    const check = async () => {
      const read = async () =>
        (await this.#get<Page<Work>>(`${renders}?page_size=100`)).results.find((each) => each.id === id);
      const work = this.#completed(await this.#ended(read, () => this.#post(`${renders}/${id}/retry`)));
      const png = await this.#bytes(work.url ?? '');
      if (Buffer.from(png.subarray(1, 4)).toString('latin1') !== 'PNG')
        throw new Error('the picture is not a PNG');
    };
    await check();
    this.#note('render', check);
  }

  async #view(random: Random): Promise<void> {
    const { volumeId } = this.#pick(random);
    const edge = 8 + Math.floor(44 * random());
    const path = `/api/v2/data/${volumeId}/view?outputFormat=raw&skip_normalization=true&max_dimension_size=${edge}`;
    const check = async () => {
      const { data, parameters } = await this.#get<{ data: string; parameters: { dimensions: number[] } }>(
        path,
      );
      const bytes = await this.#bytes(data);
      const cells = parameters.dimensions.reduce((product, each) => product * each, 1);
      if (bytes.length % cells !== 0) throw new Error(`${bytes.length} bytes for ${cells} cells`);
    };
    await check();
    this.#note('view', check);
  }

  async #change(random: Random): Promise<void> {
    const { id } = this.#pick(random);
    const path = `/api/v2/projects/${id}`;
    const lot = `L${Math.floor(1e9 * random())}`;
    await this.#product.ask('PATCH', path, { lot });
    const project = await this.#get<{ lot: string }>(path);
    if (project.lot !== lot) throw new Error(`the lot is ${project.lot} instead of ${lot}`);
  }
}
