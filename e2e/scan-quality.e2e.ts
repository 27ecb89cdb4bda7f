import { readFile } from 'node:fs/promises';
import type { DataObject } from '#contract/shapes/data-object.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { box, movedBody } from '#kernels/testing/bodies.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { finished, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

/** A block cut off by the field of view, with rings and noise. */
function poorScan(): Promise<Uint8Array> {
  const part = { body: movedBody(box([36, 34, 60]), [0, 0, 20]), edgesMm: 0, pores: [], phases: [] };
  const rendered = renderPart(part, [60, 60, 56], [1, 1, 1], 0.6);
  const volume = impairPart(rendered, { contrastToNoise: 5.2, rings: { height: 0.25 }, seed: 2 });
  return collect(writeNrrd(makeSlabs(volume)));
}

test('findings about a scan are shown with pictures, and accompany measurements on it', async ({ page }) => {
  const workspace = await createWorkspace(`Scan quality ${Date.now()}`);
  const project = await createProject(workspace.id, 'Cut block');
  await uploadScan(project.id, 'block.nrrd', await poorScan());
  const findData = async (wanted: string) => {
    const listed = await call<{ results: DataObject[] }>('GET', `/api/v2/projects/${project.id}/data`);
    return listed.results.find(({ kind }) => kind === wanted)?.id;
  };
  const show = (id: string | undefined) =>
    page.goto(`${serviceUrl()}/projects/${project.id}?tab=data&data=${id}`);
  await storeSession(page);

  await test.step('on its card', async () => {
    await show(await findData('volume'));
    await expect(page.getByRole('heading', { name: 'Scan quality' })).toBeVisible();
    for (const found of [
      /^The contrast is \d\.\d times the noise/,
      /^Rings reach/,
      /reaches beyond the scan at z\+/,
    ]) {
      const picture = page.getByRole('img', { name: found });
      await expect(picture).toBeVisible();
      const image = picture.locator('image');
      await expect(image).toHaveAttribute('href', /^blob:/);
      const type = await image.evaluate(async (element) => {
        const answer = await fetch(element.getAttribute('href') ?? '');
        return answer.headers.get('content-type');
      });
      expect(type).toBe('image/png');
    }
    await page.getByRole('button', { name: /^Larger picture: Rings reach/ }).click();
    await expect(page.getByRole('button', { name: /^Smaller picture: Rings reach/ })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('with the warnings of a mesh, and in the file with its numbers', async () => {
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, {});
    const { warnings } = await finished(project.id, 'createMesh');
    expect(warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['SCAN_NOISE', 'SCAN_RINGS', 'SCAN_CUT']),
    );
    await show(await findData('mesh'));
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Numbers of mesh as CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toMatch(/^warning,SCAN_RINGS,.*Rings reach/m);
  });
});
