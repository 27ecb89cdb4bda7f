import type { Operation } from '#contract/shapes/operation.ts';
import { analysedProject } from './support/scans.ts';
import { call, expect, serviceUrl, storeSession, test } from './support/test.ts';

test('an analysis is repeated at once with the same parameters, and again with one of them changed', async ({
  page,
}) => {
  test.slow();
  const { id } = await analysedProject('Run again');
  const runs = async () =>
    (
      await call<{ results: Operation[] }>(
        'GET',
        `/api/v2/projects/${id}/operations?operation=runWallThickness`,
      )
    ).results;
  const endedTimes = (times: number) =>
    expect
      .poll(async () => (await runs()).filter(({ status }) => status === 'completed').length, {
        timeout: 60_000,
      })
      .toBe(times);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${id}`);

  await page.getByRole('button', { name: 'Run again: wall thickness' }).click();
  await endedTimes(2);
  const [same, first] = await runs();
  expect(same.parameters).toEqual(first.parameters);

  await page.getByRole('button', { name: 'Run again with changes: wall thickness' }).click();
  const form = page.getByRole('form', { name: 'Parameters of wall thickness' });
  await form.getByLabel('Minimum thickness').fill('1.5');
  await page.keyboard.press('Control+Enter');
  await expect(form).toHaveCount(0);
  await endedTimes(3);
  expect((await runs())[0].parameters).toMatchObject({ minThicknessMm: 1.5 });

  // The newest result is shown automatically; its parameters are offered as the start of the next run.
  await expect(page.getByRole('table', { name: 'Parameters', exact: true })).toContainText('1.5\u202fmm');
  await page.getByRole('button', { name: 'Run again with changes…' }).click();
  await expect(page).toHaveURL(/from=/);
  await expect(form.getByLabel('Minimum thickness')).toHaveValue(/^1\.5/);
});
