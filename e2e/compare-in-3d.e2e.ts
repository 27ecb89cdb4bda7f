import type { Locator, Page } from '@playwright/test';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { drawByService, measureApart } from './support/comparisons.ts';
import { analysedProject, finished, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  follow,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

// The smallest window in which everything fits, because software rendering computes each pixel.
test.use({ viewport: { width: 960, height: 640 } });

/** A tube with a narrower bore and other voxels, scanned 5 mm further along x and aligned to the first. */
async function alignedProject(name: string, referenceProjectId: string): Promise<string> {
  const { id: workspaceId } = await createWorkspace(`${name} ${Date.now()}`);
  const { id } = await createProject(workspaceId, name);
  const volume = renderBody(hollowCylinder(5, 1.8, 10), {
    dimensions: [42, 42, 38],
    voxelSizeMm: [0.3, 0.3, 0.3],
    originMm: [-6.15, -6.15, -5.55],
  });
  const parts: Uint8Array[] = [];
  const moved = { ...volume, originMm: [-1.15, -6.15, -5.55] as [number, number, number] };
  for await (const part of writeNrrd(makeSlabs(moved))) parts.push(part);
  await uploadScan(id, 'narrower.nrrd', Buffer.concat(parts));
  await call('POST', `/api/v2/projects/${id}/createMesh`, {});
  await finished(id, 'createMesh');
  const { results } = await call<{ results: { id: string; kind: string }[] }>(
    'GET',
    `/api/v2/projects/${referenceProjectId}/data`,
  );
  const referenceDataObjectId = results.find(({ kind }) => kind === 'mesh')?.id;
  // Starts close to the solution: the tube may be at any angle about its axis.
  const matrix = [1, 0, 0, -4.9, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const parameters = { referenceDataObjectId, initial: 'matrix', matrix };
  await call('POST', `/api/v2/projects/${id}/runAutoAlignLite`, parameters);
  await finished(id, 'runAutoAlignLite');
  return id;
}

/** Screen pixels of the pane in a row that looks into the bores: red, green and blue. */
async function readRow(page: Page, pane: Locator): Promise<number[][]> {
  const box = await pane.boundingBox();
  if (!box) throw new Error('no pane');
  const clip = { x: box.x, y: Math.floor(box.y + box.height * 0.3), width: box.width, height: 1 };
  const png = (await page.screenshot({ clip })).toString('base64');
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context?.drawImage(picture, 0, 0);
    const data = context?.getImageData(0, 0, picture.width, 1).data ?? [];
    const seen = Array.from({ length: picture.width }, (_, x) => [...data.slice(4 * x, 4 * x + 3)]);
    // The line of a swipe may be at the edges.
    const ground = seen[8] ?? [];
    return seen.fill(ground, 0, 8).fill(ground, -8);
  }, png);
}

const differs = (one: number[] = [], other: number[] = []) =>
  Math.max(...one.map((byte, k) => Math.abs(byte - (other[k] ?? 0))));

test('surfaces of two scans are swiped, blended and blinked in 3D, each at its aligned pose', async ({
  page,
}) => {
  const one = await analysedProject(`Reference tube ${Date.now()}`);
  const other = await alignedProject(`Narrower tube ${Date.now()}`, one.id);
  const compared = `/compare?projects=${one.id}&projects=${other}&view=3d`;
  await storeSession(page);
  const pane = page.getByRole('application', { name: /in 3D/ });
  const show = async (look: string) => {
    await follow(page, `${compared}&${look}`);
    await expect(page.getByText(/Loading the/)).toHaveCount(0, { timeout: 60_000 });
    await expect(pane).toHaveCount(1);
  };
  await page.goto(`${serviceUrl()}${compared}`);
  await expect(pane).toHaveCount(2);
  await expect(page.getByText(/Loading the/)).toHaveCount(0, { timeout: 60_000 });
  await page.getByText('Swipe', { exact: true }).click();
  await expect(pane).toHaveCount(1);
  await show('mode=swipe&share=0');
  const ground = (await readRow(page, pane))[2];
  const isGround = (rgb: number[] | undefined) => differs(rgb, ground) < 3;
  const countSeen = (row: number[][]) => row.filter((rgb) => !isGround(rgb)).length;
  await expect.poll(async () => countSeen(await readRow(page, pane))).toBeGreaterThan(50);
  const first = await readRow(page, pane);
  await show('mode=swipe&share=1');
  const countOff = (row: number[][], from: number[][]) =>
    row.filter((rgb, x) => differs(rgb, from[x]) > 1).length;
  await expect.poll(async () => countOff(await readRow(page, pane), first)).toBeGreaterThan(20);
  const second = await readRow(page, pane);
  const middle = (row: number[][]) => {
    const seen = row.flatMap((rgb, x) => (isGround(rgb) ? [] : [x]));
    return (Math.min(...seen) + Math.max(...seen)) / 2;
  };
  expect(Math.abs(middle(second) - middle(first)), 'the alignment is applied').toBeLessThan(4);

  const line = page.getByRole('separator', { name: 'Swipe line' });
  await test.step('the line of a swipe is moved by dragging, keys and number, and separates the two surfaces', async () => {
    const box = await pane.boundingBox();
    if (!box) throw new Error('no pane');
    await show('mode=swipe&share=0.5');
    const at = await line.boundingBox();
    await page.mouse.move((at?.x ?? 0) + (at?.width ?? 0) / 2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 60, { steps: 3 });
    await page.mouse.up();
    await expect(page).toHaveURL(/share=0\.6/);
    await expect(page).not.toHaveURL(/camera=/);
    await page.mouse.move(2, 2);
    await expect
      .poll(async () => {
        const row = await readRow(page, pane);
        const split = Math.round(0.4 * row.length);
        const wrong = row.filter(
          (rgb, x) => Math.abs(x - split) > 6 && differs(rgb, (x < split ? first : second)[x]) > 1,
        );
        return wrong.length;
      })
      .toBe(0);
    await line.focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/share=0\.58/);
    const number = page.getByRole('textbox', { name: 'Swipe line, %' });
    await page.keyboard.press('Tab');
    await number.fill('30');
    await number.press('Enter');
    await expect(page).toHaveURL(/share=0\.7/);
    await expectAccessible(page);
  });
  await test.step('blending shows the second surface at the chosen opacity, and a reload restores it', async () => {
    await show('mode=blend&share=0.25');
    const wrong = async () => {
      const row = await readRow(page, pane);
      return row.filter((rgb, x) => {
        const [below, over] = [first[x] ?? [], second[x] ?? []];
        const mixed = isGround(over) ? below : below.map((byte, k) => byte + ((over[k] ?? 0) - byte) / 4);
        return differs(rgb, mixed) > 2;
      }).length;
    };
    // Except for pixels crossed by an edge.
    await expect.poll(wrong).toBeLessThan(12);
    await page.reload();
    await expect(page.getByText(/Loading the/)).toHaveCount(0, { timeout: 60_000 });
    await expect.poll(wrong, { timeout: 60_000 }).toBeLessThan(12);
  });
  await test.step('blinking shows one surface, then the other', async () => {
    await show('mode=blink');
    const isSeen = async (row: number[][]) => countOff(await readRow(page, pane), row) < 6;
    await expect.poll(() => isSeen(first)).toBe(true);
    await page.getByRole('button', { name: 'Show the other' }).click();
    await expect.poll(() => isSeen(second)).toBe(true);
  });
  await test.step('a graphics card that is taken away is told, and the surfaces are back with it', async () => {
    await show('mode=swipe&share=1');
    const card = await page.locator('canvas[data-engine]').evaluateHandle((canvas: HTMLCanvasElement) => {
      const extension = canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context');
      extension?.loseContext();
      return extension;
    });
    const told = page.getByText('The browser lost its connection to the graphics card');
    await expect(told).toBeVisible();
    await card.evaluate((extension) => extension?.restoreContext());
    await expect(told).toHaveCount(0);
    await expect.poll(async () => countOff(await readRow(page, pane), second)).toBeLessThan(6);
  });
  await test.step('in its scanned pose the second surface is elsewhere', async () => {
    await show('mode=swipe&share=1&aligned=no');
    await expect
      .poll(async () => Math.abs(middle(await readRow(page, pane)) - middle(first)))
      .toBeGreaterThan(20);
  });
  await test.step('the service renders the same as the viewer, even for a bookmark saved before everything is loaded', async () => {
    for (const way of ['mode=blend&share=0.6', 'mode=swipe&share=0.45']) {
      if (way.includes('blend')) await show(way);
      else await page.goto(`${serviceUrl()}${compared}&${way}`);
      await page.getByRole('button', { name: 'Save bookmark' }).click();
      await page.getByLabel('Name').fill(way);
      await page.keyboard.press('Control+Enter');
      await expect(page.getByText(`“${way}” saved`)).toBeVisible({ timeout: 60_000 });
      const { results } = await call<{ results: { id: string; name: string; thumbnailUrl: string }[] }>(
        'GET',
        `/api/v2/bookmarks?project=${one.id}`,
      );
      const saved = results.find(({ name }) => name === way);
      const viewers = new URL(saved?.thumbnailUrl ?? '', serviceUrl()).href;
      expect(await measureApart(page, [viewers, await drawByService(saved?.id ?? '')]), way).toBeLessThan(3);
    }
  });
});
