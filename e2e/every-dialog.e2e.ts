import type { Page } from '@playwright/test';
import { analysedProject } from './support/scans.ts';
import { expect, expectAccessible, follow, serviceUrl, storeSession, test } from './support/test.ts';

const name = 'Tube for dialogs';
const looks = [
  { colorScheme: 'dark', width: 1280, height: 800 },
  { colorScheme: 'light', width: 1920, height: 1080 },
] as const;

/** Each dialog and menu: its page, how to open it, and what is then visible. */
const openings = (
  projectId: string,
): { path: string; opens: (page: Page) => Promise<void>; shows: RegExp }[] => {
  const project = `/projects/${projectId}`;
  const press = (name: string | RegExp) => (page: Page) =>
    page.getByRole('button', { name, exact: true }).click();
  const choose = (button: string, item: RegExp) => async (page: Page) => {
    await press(button)(page);
    await page.getByRole('menuitem', { name: item }).click();
  };
  // On a page without the viewer, whose drawing takes most of the time; the dialogs are the same.
  const data = `${project}?tab=data`;
  // Few rows: the checks take as long as the page has elements, and every-page checks the whole list.
  const projects = `/projects?search=${encodeURIComponent(name)}`;
  const nothing = async () => undefined;
  return [
    { path: project, opens: press('Run analysis'), shows: /^menu$/ },
    { path: data, opens: press('More actions'), shows: /^menu$/ },
    { path: data, opens: choose('More actions', /^Edit details/), shows: /^Details of the project/ },
    { path: data, opens: choose('More actions', /^Copy/), shows: /^Copy “/ },
    { path: data, opens: choose('More actions', /^Move/), shows: /^Move “/ },
    { path: data, opens: press(/running$/), shows: /^Running work/ },
    { path: `${data}&run=createMesh`, opens: nothing, shows: /^Mesh/ },
    { path: `${data}&run=runWallThickness`, opens: nothing, shows: /^Wall thickness/ },
    { path: `${data}&run=runIntegrityAnalysis`, opens: nothing, shows: /^Integrity/ },
    { path: `${data}&run=runPipeline`, opens: nothing, shows: /^Pipeline/ },
    { path: projects, opens: press('New project'), shows: /^New project/ },
    { path: projects, opens: press('Shortcuts'), shows: /^Shortcuts/ },
    { path: projects, opens: (page) => page.keyboard.press('Control+k'), shows: /^Search/ },
    { path: projects, opens: press('Administrator'), shows: /^menu$/ },
    { path: projects, opens: press(/^Notifications/), shows: /^Notifications/ },
    { path: '/organization?tab=members', opens: press('Invite'), shows: /^Invite a member/ },
    { path: '/organization?tab=workspaces', opens: press('New workspace'), shows: /^New workspace/ },
  ];
};

let projectId = '';
test.beforeAll(async () => {
  projectId = (await analysedProject(name)).id;
});

for (const { colorScheme, width, height } of looks) {
  test.describe(`At ${width} wide, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height } });

    test('every dialog and menu is accessible, fits, and closes with Escape', async ({ page }) => {
      test.slow();
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await storeSession(page);
      // Checks all of them, so that one run reports every problem.
      const wrong: string[] = [];
      let at = '';
      const checked = new Set<string>();
      for (const [index, { path, opens, shows }] of openings(projectId).entries()) {
        await test
          .step(`${path}, ${index}: ${shows.source}`, async () => {
            if (at === '') await page.goto(serviceUrl() + path);
            else if (path !== at) await follow(page, path);
            at = path;
            await expect(page.locator('[aria-busy="true"], [data-loading="true"]')).toHaveCount(0);
            await opens(page);
            const open =
              shows.source === '^menu$' ? page.getByRole('menu') : page.getByRole('dialog', { name: shows });
            await expect(open).toBeVisible();
            await expect(open).not.toHaveCSS('opacity', '0');
            if (process.env.SHOTS)
              await page.screenshot({ path: `${process.env.SHOTS}/${width}-${index}.png` });
            // The page behind is checked with the first of its dialogs.
            await expectAccessible(page, checked.has(path) ? '[role="dialog"], [role="menu"]' : undefined);
            checked.add(path);
            const box = await open.boundingBox();
            expect(box?.x).toBeGreaterThanOrEqual(0);
            expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
            await page.keyboard.press('Escape');
            await expect(open).toHaveCount(0);
            // The keyboard focus returns to where it was, not to the top of the page.
            await expect
              .poll(() => page.evaluate(() => document.activeElement === document.body))
              .toBe(false);
          })
          .catch((error: Error) => {
            wrong.push(`${path}, ${shows.source}: ${error.message}`);
            at = '';
          });
      }
      expect(wrong).toEqual([]);
    });
  });
}
