import { analysedProject } from './support/scans.ts';
import { expect, expectAccessible, serviceUrl, signIn, test } from './support/test.ts';

const looks = [
  { colorScheme: 'light', width: 1280, height: 800 },
  { colorScheme: 'dark', width: 1920, height: 1080 },
] as const;

/** Each page, and what it shows when it has loaded. */
const pages = (projectId: string) => [
  { path: '/projects', heading: /^Projects/ },
  { path: '/projects?state=deleted', heading: /^(Projects|Trash)/ },
  { path: `/projects/${projectId}`, heading: /Tube for looks/ },
  { path: `/projects/${projectId}?tab=data`, heading: /Tube for looks/ },
  { path: `/projects/${projectId}?tab=operations`, heading: /Tube for looks/ },
  { path: `/projects/${projectId}?tab=exports`, heading: /Tube for looks/ },
  { path: `/projects/${projectId}?tab=bookmarks`, heading: /Tube for looks/ },
  { path: `/projects/${projectId}?tab=recipes`, heading: /Tube for looks/ },
  { path: '/recipes', heading: /Recipes/ },
  { path: '/recipes?tab=scans', heading: /Recipes/ },
  { path: '/recipes/new', heading: /New recipe/ },
  { path: '/bulk', heading: /Bulk requests/ },
  { path: '/exports', heading: /Exports/ },
  { path: '/bookmarks', heading: /Bookmarks/ },
  { path: '/organization', heading: /.+/ },
  { path: '/account', heading: /.+/ },
];

let projectId = '';
test.beforeAll(async () => {
  projectId = (await analysedProject('Tube for looks')).id;
});

for (const { colorScheme, width, height } of looks) {
  test.describe(`At ${width} wide, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height } });

    test('every page is accessible, fits, and says nothing on the console', async ({ page }) => {
      await page.goto(`${serviceUrl()}/sign-in`);
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
      await expectAccessible(page);
      await signIn(page);
      for (const { path, heading } of pages(projectId)) {
        await test.step(path, async () => {
          await page.goto(serviceUrl() + path);
          await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
          await expect(page.locator('[aria-busy="true"], [data-loading="true"]')).toHaveCount(0);
          await expectAccessible(page);
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - window.innerWidth,
          );
          expect(overflow).toBeLessThanOrEqual(0);
        });
      }
    });
  });
}
