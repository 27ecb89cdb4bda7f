import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { unzipSync } from 'fflate';
import { findMail } from './support/mail.ts';
import { scannedProject, tubeNrrd } from './support/scans.ts';
import { administrator } from './support/service.ts';
import { expect, serviceUrl, storeSession, test } from './support/test.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Starts a download and breaks the connection after some bytes; returns the bytes and the ETag to resume with. */
const brokenDownload = (address: string, after: number) =>
  new Promise<{ bytes: Buffer; etag: string }>((resolve, reject) => {
    get(address, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        parts.push(part);
        length += part.byteLength;
        if (length < after) return;
        response.destroy();
        resolve({ bytes: Buffer.concat(parts).subarray(0, after), etag: response.headers.etag ?? '' });
      });
    }).on('error', reject);
  });

test('an export is mailed when it is ready, and an interrupted download can be resumed', async ({ page }) => {
  const project = await scannedProject(`Tube to send ${Date.now()}`);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}?tab=exports`);
  await page.getByLabel('Volumes', { exact: true }).check();
  await page.getByLabel('Email me the link').check();
  await expect(page.getByRole('status').filter({ hasText: /^about / })).toBeVisible();
  await page.getByRole('button', { name: 'Export', exact: true }).click();

  const mail = () => findMail(administrator.email, `Export ready: ${project.name}`);
  await expect.poll(async () => (await mail())?.to, { timeout: 60_000 }).toEqual([administrator.email]);
  const link = /http:\S+/.exec((await mail())?.text ?? '')?.[0] ?? '';
  await page.goto(`${serviceUrl()}/exports`);
  await expect(page.getByRole('row').filter({ hasText: project.name })).toContainText('Completed');
  await page.goto(link);
  const row = page.getByRole('table', { name: 'Exports of the project' }).getByRole('row').nth(1);
  await expect(row).toContainText('Completed');
  await expect(row).toContainText('in 6 days');
  const download = row.getByRole('link', { name: /^Download .+\.zip/ });
  // As resolved by the browser: the page contains only the path.
  const address = await download.evaluate((link: HTMLAnchorElement) => link.href);

  const whole = Buffer.from(await (await fetch(address)).arrayBuffer());
  const { bytes: first, etag } = await brokenDownload(address, Math.floor(whole.byteLength / 3));
  const rest = await fetch(address, {
    headers: { Range: `bytes=${first.byteLength}-`, 'If-Range': etag },
  });
  expect(rest.status).toBe(206);
  expect(rest.headers.get('content-range')).toBe(
    `bytes ${first.byteLength}-${whole.byteLength - 1}/${whole.byteLength}`,
  );
  const joined = Buffer.concat([first, Buffer.from(await rest.arrayBuffer())]);
  await row.getByRole('button', { name: /SHA-256 of the archive/ }).hover();
  await expect(row).toContainText(`SHA-256 ${sha256(joined).slice(0, 16)}`);

  const files = unzipSync(joined);
  const sums = Buffer.from(files['SHA256SUMS']).toString().trimEnd().split('\n');
  expect(sums).toHaveLength(Object.keys(files).length - 1);
  for (const line of sums)
    expect([line.slice(66), sha256(files[line.slice(66)])]).toEqual([line.slice(66), line.slice(0, 64)]);
  expect(Object.values(files).map(sha256)).toContain(sha256(await tubeNrrd()));
  // If the file has changed since, it is sent whole instead of in part.
  const changed = await fetch(address, { headers: { Range: 'bytes=5-', 'If-Range': '"another"' } });
  expect(changed.status).toBe(200);
  await changed.body?.cancel();
});
