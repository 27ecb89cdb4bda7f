import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { type AnalysisKind, analysisKinds, getAnalysis } from '#contract/analyses/registry.ts';
import { roundShown } from '#contract/base/format-number.ts';
import type { Operation } from '#contract/shapes/operation.ts';
import { writeGlb } from '#formats/glb/write-glb.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { porousBlock } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { ballRadiographs, finished, uploadScan } from './support/scans.ts';
import { call, createProject, createWorkspace, expect, follow, signIn, test } from './support/test.ts';
import { smallWindow, viewerIsReady } from './support/viewer.ts';

interface Parts {
  parameters: Record<string, unknown>;
  /** tables of figures */
  figures: string[];
  /** legend of the surface colours */
  legend?: string;
  histogram?: RegExp;
  verdict?: boolean;
  /** table of places that move the viewer */
  places?: string;
  /** the scan and its reference, each with a switch */
  overlaid?: boolean;
}

const compared = { figures: ['Deviation', 'Percentiles of the deviation'], legend: 'Deviation' };

/** The content of each analysis' page; the demo's own test ensures that the demo has an example of each. */
const kinds = {
  createMesh: { parameters: {}, figures: ['Mesh'] },
  createTexturedMesh: {
    parameters: { textureSize: 256 },
    figures: ['Texture', 'Mesh'],
    legend: 'Grey value',
  },
  runWallThickness: {
    parameters: { minThicknessMm: 6 },
    figures: ['Wall thickness', 'Percentiles of wall thickness'],
    legend: 'Wall thickness',
    histogram: /^Histogram of wall thickness weighted by area/,
    places: 'Regions below the minimum thickness',
  },
  runIntegrityAnalysis: {
    parameters: {},
    figures: ['Integrity'],
    legend: 'Volume of defect',
    histogram: /^Histogram of equivalent diameter/,
    places: 'Defects, largest first',
  },
  runAutoAlignLite: {
    parameters: { initial: 'none' },
    figures: ['Alignment', 'Matrix from the scan to the reference, shifts in mm'],
    overlaid: true,
  },
  runMeshCompare: {
    parameters: { alignment: 'none' },
    ...compared,
    histogram: /^Histogram of deviation weighted by area/,
    verdict: true,
  },
  runDecomposeMeshCompare: {
    parameters: { alignment: 'none', groupBy: 'component' },
    ...compared,
    histogram: /^Histogram of deviation weighted by area/,
    verdict: true,
    places: 'Deviation by component',
  },
  runReconstructionPreview: { parameters: { maxDimension: 24 }, figures: ['Reconstruction'] },
  runPipeline: {
    parameters: {
      steps: [{ key: 'mesh', operation: 'createMesh' }],
      // The scan is too small for its quality to be judged: without a guard band of its own the gate would stay
      // indeterminate.
      gates: [{ key: 'size', measure: 'mesh.volumeMm3', comparison: '>=', limit: 100, guardBand: 50 }],
    },
    figures: ['Gates of the run', 'Steps of the run', 'What the steps are based on'],
  },
} as const satisfies Record<AnalysisKind, Parts>;

const blockMm: [number, number, number] = [9, 8, 7];

/** A coarse block with two pores: 26 × 24 × 22 voxels. */
const porousScan = () => {
  const pores = [
    { centerMm: [-2, 0.5, 0] as [number, number, number], radiusMm: 1.4 },
    { centerMm: [2, -0.5, 0.5] as [number, number, number], radiusMm: 1.1 },
  ];
  const grid = {
    dimensions: [26, 24, 22] as [number, number, number],
    voxelSizeMm: [0.5, 0.5, 0.5] as [number, number, number],
  };
  return collect(writeNrrd(makeSlabs(renderBody(porousBlock(blockMm, pores), grid))));
};

const saved = async (page: Page, ending: 'CSV' | 'JSON'): Promise<string> => {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: new RegExp(`^Numbers of .* as ${ending}$`) }).click();
  return readFile(await (await downloading).path(), 'utf8');
};

test.use({ viewport: smallWindow });

test('each of the nine analyses has its form, figures, colours, places, provenance and number downloads', async ({
  page,
}) => {
  test.slow();
  const workspace = await createWorkspace(`Every analysis ${Date.now()}`);
  const { id } = await createProject(workspace.id, 'Porous block');
  await uploadScan(id, 'block.nrrd', await porousScan());
  const [source] = (await finished(id, 'ingest')).outputDataObjectIds;
  await uploadScan(id, 'ball.zip', await ballRadiographs());
  // A mesh created from the scan itself is no valid reference for it.
  await uploadScan(id, 'block.glb', writeGlb(boxMesh(blockMm)));
  const [reference] = (await finished(id, 'ingest')).outputDataObjectIds;
  const run = (kind: AnalysisKind, inputs: Record<string, unknown> = {}) =>
    call('POST', `/api/v2/projects/${id}/${kind}`, { ...inputs, ...kinds[kind].parameters });
  await run('createMesh', { sourceDataObjectId: source });
  await finished(id, 'createMesh');
  for (const kind of analysisKinds) {
    if (kind === 'createMesh') continue;
    const { needs }: AnalysisDeclaration = getAnalysis(kind);
    await run(kind, {
      ...(needs.source.includes('volume') ? { sourceDataObjectId: source } : {}),
      ...(needs.reference.length > 0 ? { referenceDataObjectId: reference } : {}),
    });
  }
  const operations = new Map<AnalysisKind, Operation>();
  for (const kind of analysisKinds) operations.set(kind, await finished(id, kind));
  const [pipeline] = (
    await call<{ results: { id: string }[] }>('GET', `/api/v2/projects/${id}/recipeInvocations`)
  ).results;

  await signIn(page);
  for (const kind of analysisKinds) {
    const parts: Parts = kinds[kind];
    const isPipeline = kind === 'runPipeline';
    await test.step(kind, async () => {
      const [output] = operations.get(kind)?.outputDataObjectIds ?? [];
      await follow(page, isPipeline ? `/recipes/runs/${pipeline.id}` : `/projects/${id}?data=${output}`);
      for (const name of parts.figures)
        await expect(page.getByRole('table', { name, exact: true })).toBeVisible({ timeout: 30_000 });
      if (parts.legend)
        await expect(page.getByRole('region', { name: `Legend: ${parts.legend}` })).toBeVisible({
          timeout: 30_000,
        });
      if (parts.histogram) await expect(page.getByRole('img', { name: parts.histogram })).toBeVisible();
      if (parts.verdict)
        await expect(page.getByRole('region', { name: 'Verdict' })).toContainText(/Pass|Fail|Indeterminate/);
      if (parts.places) {
        const table = page.getByRole('table', { name: parts.places });
        const room = await table.evaluate(
          ({ parentElement, scrollWidth }) => (parentElement?.clientWidth ?? 0) - scrollWidth,
        );
        expect(room).toBeGreaterThanOrEqual(0);
        const row = table.getByRole('row').nth(1);
        await row.getByRole('button', { name: /^Show / }).click();
        await expect(row.getByRole('button', { pressed: true })).toBeVisible();
        await expect(page).toHaveURL(/#view=/);
      }

      if (parts.overlaid) {
        const picture = () =>
          page.evaluate(async () => {
            await window.__scanwrightViewer?.whenIdle();
            const taken = await window.__scanwrightViewer?.capture({ width: 320, height: 240 });
            return String(new Uint8Array((await taken?.arrayBuffer()) ?? []));
          });
        const switches = page.getByRole('group', { name: 'Layers' }).getByRole('checkbox', { checked: true });
        await expect(page.locator('[data-testid="scan-viewer"][data-ready="true"]')).toBeVisible();
        await expect(switches).toHaveCount(4);
        for (const left of [3, 2, 1, 0]) {
          const before = await picture();
          await switches.first().uncheck();
          await expect(switches).toHaveCount(left);
          await expect.poll(picture).not.toBe(before);
        }
        const before = page.url();
        await test.step('a bookmark saves which alignment is shown, with its reference', async () => {
          await page.getByRole('button', { name: 'Bookmark', exact: true }).click();
          const form = page.getByRole('form', { name: 'New bookmark' });
          await form.getByLabel('Name').fill('Laid on its reference');
          await form.getByRole('button', { name: 'Save', exact: true }).click();
          await expect(page).toHaveURL(/bookmark=/);
          const bookmark = new URL(page.url()).searchParams.get('bookmark');
          await page.goto(`${new URL(before).origin}${new URL(before).pathname}?bookmark=${bookmark}`);
          await expect(page.locator('[data-testid="scan-viewer"][data-ready="true"]')).toBeVisible();
          // Two for the scan, two for the reference, one for the volume.
          await expect(page.getByRole('group', { name: 'Layers' }).getByRole('checkbox')).toHaveCount(5);
          await expect(page.getByRole('table', { name: 'Alignment', exact: true })).toBeVisible();
          const shown = await page.evaluate(() => window.__scanwrightViewer?.state().alignmentId);
          expect(shown).toBe(new URL(before).searchParams.get('data'));
        });
        await test.step('a link with the view alone restores it, too', async () => {
          await page.goto(before);
          await viewerIsReady(page);
          await expect(page).toHaveURL(/#view=/);
          const { origin, pathname, hash } = new URL(page.url());
          const read = () => page.evaluate(() => window.__scanwrightViewer?.state());
          const shown = await read();
          await page.goto('about:blank');
          await page.goto(`${origin}${pathname}${hash}`);
          await viewerIsReady(page);
          await expect(page.getByRole('group', { name: 'Layers' }).getByRole('checkbox')).toHaveCount(5);
          await expect(page.getByRole('table', { name: 'Alignment', exact: true })).toBeVisible();
          expect(await read()).toEqual(shown);
          await page.goto(before);
        });
      }

      if (isPipeline) {
        const provenance = page.getByRole('table', { name: 'What the steps are based on' });
        await expect(provenance).toContainText('SHA-256');
        await expect(provenance).toContainText('Surface determination Local');
      } else {
        const computed = page.getByRole('table', { name: 'How it was computed' });
        await expect(computed.getByRole('row', { name: /^Computing time/ })).toContainText('\u202fs');
        await expect(computed.getByRole('row', { name: /^Version/ })).toContainText('Scanwright');
        await expect(page.getByText(/^Input: /).first()).toBeVisible();
        await expect(page.getByRole('table', { name: 'Parameters', exact: true })).toBeVisible();
        await expect(page.getByRole('table', { name: 'Versions of the algorithms' })).toBeVisible();
      }

      const csv = await saved(page, 'CSV');
      expect(csv).toMatch(/^section,quantity,value,unit\r\n/);
      expect(csv).toMatch(/^provenance.*,seconds,[\d.e-]+,s\r?$/m);
      const json = JSON.parse(await saved(page, 'JSON'));
      if (isPipeline) expect(json).toMatchObject({ verdict: 'pass', gates: [{ verdict: 'pass' }] });
      else
        expect(json).toMatchObject({ about: { project: 'Porous block' }, provenance: { operation: kind } });
      const numbers = isPipeline ? json.gates[0].measured : Object.values(json.result).find(Number.isFinite);
      // The CSV file rounds like the page.
      expect(csv).toContain(`,${roundShown(numbers)},`);

      await expect(page.getByRole('button', { name: 'Run again', exact: true })).toBeEnabled();
      const changes = page.getByText('Run again with changes…');
      await changes.click();
      const title = getAnalysis(kind).title;
      const form = page.getByRole('dialog', { name: title });
      await expect(form.getByRole('button', { name: /^Start / })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(form).toHaveCount(0);
    });
  }
});
