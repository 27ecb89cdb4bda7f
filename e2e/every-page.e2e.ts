import type { Locator, Page } from '@playwright/test';
import { oneOfEach } from './support/one-of-each.ts';
import { expect, expectAccessible, follow, serviceUrl, storeSession, test } from './support/test.ts';

const looks = [
  { colorScheme: 'light', width: 1280, height: 800 },
  { colorScheme: 'dark', width: 1920, height: 1080 },
] as const;

/** The width of a phone: nothing may overflow the page. */
const phone = { width: 390, height: 844 };

/** The width of a tablet: from here on tables must not scroll sideways. */
const tablet = { width: 768, height: 1024 };
const tablesRunningOff = () =>
  [...document.querySelectorAll('main section:has(> table)')].flatMap((part) =>
    part.scrollWidth > part.clientWidth ? `${part.ariaLabel} ${part.scrollWidth} > ${part.clientWidth}` : [],
  );

/** Elements that scroll sideways, except tables, which may where they are wider than a phone. */
const partsRunningOff = () =>
  [...document.querySelectorAll('html, main > *, main > * > *, [role="tabpanel"]')].flatMap((part) =>
    part.scrollWidth > part.clientWidth ? `${part.tagName} ${part.className}` : [],
  );

type OneOfEach = Awaited<ReturnType<typeof oneOfEach>>;
interface Look {
  path: string;
  heading: RegExp;
  /** an element that only this page shows, once it has loaded */
  shows: (page: Page) => Locator;
}

const name = 'Tube for looks';
const table = (caption: string) => (page: Page) =>
  page.getByRole('table', { name: caption, exact: true }).getByRole('row').nth(1);
/** Tables that list records, unlike those that describe one. */
const listed = new Set<Look['shows']>();
const list = (caption: string) => {
  const shows = table(caption);
  listed.add(shows);
  return shows;
};
const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first();
const link = (label: string) => (page: Page) => page.getByRole('link', { name: label });
const button = (label: string | RegExp) => (page: Page) => page.getByRole('button', { name: label }).first();

/** Each page, with content. */
const pages = (ids: OneOfEach): Look[] => {
  const tube = `/projects/${ids.tubeId}`;
  const ball = `/projects/${ids.ballId}`;
  const ofTube = { heading: new RegExp(name) };
  const ofBall = { heading: /^Ball beside/ };
  const organization = { heading: /.+/ };
  return [
    { path: '/projects', heading: /^Projects/, shows: list('Projects') },
    { path: '/projects?state=deleted', heading: /^(Projects|Trash)/, shows: text(/trash|deleted/i) },
    { path: tube, ...ofTube, shows: button('Show wall thickness') },
    { path: `${tube}?bookmark=${ids.bookmarkId}`, ...ofTube, shows: text('It is.') },
    { path: `${tube}?tab=data`, ...ofTube, shows: list('Data of the project') },
    { path: `${tube}?tab=operations`, ...ofTube, shows: list('Operations of the project') },
    { path: `${tube}?tab=recipes`, ...ofTube, shows: list('Runs of recipes on this project') },
    { path: `${tube}?tab=exports`, ...ofTube, shows: list('Exports of the project') },
    { path: `${tube}?tab=bookmarks`, ...ofTube, shows: list('Bookmarks') },
    {
      path: `${ball}?run=runReconstructionPreview`,
      ...ofBall,
      shows: button('Start reconstruction preview'),
    },
    { path: `${ball}?tab=data&data=${ids.ballVolumeId}`, ...ofBall, shows: text('Centre of rotation') },
    {
      path: `/compare?projects=${ids.tubeId}&projects=${ids.ballId}`,
      heading: /^Compare/,
      shows: (page) => page.locator('[data-compare-pane]').first(),
    },
    { path: '/recipes', heading: /^Recipes/, shows: list('Recipes') },
    { path: '/recipes?tab=scans', heading: /^Recipes/, shows: list('Scan recipes') },
    { path: '/recipes/new', heading: /^New recipe/, shows: button('Add step') },
    { path: `/recipes/${ids.recipePk}`, heading: /^Walls of/, shows: table('Gates of the recipe') },
    { path: `/recipes/runs/${ids.runId}`, heading: /^Walls of/, shows: table('Gates of the run') },
    { path: '/runs', heading: /^Runs/, shows: list('Runs') },
    { path: '/bulk', heading: /^Bulk requests/, shows: list('Bulk requests') },
    { path: `/bulk/${ids.bulkId}`, heading: /.+/, shows: list('Outcome for each project') },
    { path: '/exports', heading: /^Exports/, shows: list('Exports') },
    { path: '/bookmarks', heading: /^Bookmarks/, shows: list('Bookmarks') },
    { path: '/notifications', heading: /^Notifications/, shows: list('Notifications') },
    { path: '/organization', ...organization, shows: list('Members') },
    { path: '/organization?tab=workspaces', ...organization, shows: list('Workspaces') },
    { path: '/organization?tab=modules', ...organization, shows: list('Analysis modules') },
    { path: '/organization?tab=recipes', ...organization, shows: text('Recipes are released by') },
    { path: '/organization?tab=audit', ...organization, shows: list('Audit log') },
    { path: '/account', heading: /.+/, shows: list('Access tokens') },
    {
      path: '/recipes/runs/00000000-0000-4000-8000-000000000000',
      heading: /^Not found/,
      shows: link('Go to runs'),
    },
    { path: '/nowhere', heading: /.+/, shows: text('No page at this address') },
  ];
};

// The missing page also responds with this status.
test.use({
  allowedConsoleErrors: [/404 \(Not Found\) \S+(\/nowhere|-8000-000000000000)$/],
});

let ids: OneOfEach;
test.beforeAll(async () => {
  ids = await oneOfEach(name);
});

for (const [index, { colorScheme, width, height }] of looks.entries()) {
  test.describe(`At ${width} wide, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height } });

    test('every page is accessible, fits, and logs nothing to the console', async ({ page }) => {
      test.slow();
      // As reported by a browser started without a locale.
      if (index === 1)
        await page.addInitScript(() =>
          Object.defineProperty(Navigator.prototype, 'language', {
            configurable: true,
            get: () => 'en-US@posix',
          }),
        );
      // Checks all of them, so that one run reports every problem.
      const wrong: string[] = [];
      const look = async ({ path, heading, shows }: Look) => {
        await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
        await expect(shows(page)).toBeVisible();
        // An element that is cut off or covered is not visible to the user.
        await shows(page).click({ trial: true });
        // The trial click leaves the pointer there, and a tooltip that it opens would be outside the page's landmarks.
        await page.mouse.move(2, 2);
        await expect(page.locator('[aria-busy="true"], [data-loading="true"]')).toHaveCount(0);
        if (process.env.SHOTS) {
          const file = path
            .slice(1)
            .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
            .replaceAll(/\W+/g, '-');
          await page.screenshot({ path: `${process.env.SHOTS}/${width}-${file}.png` });
        }
        await expectAccessible(page);
        await expect.poll(() => page.evaluate(tablesRunningOff)).toEqual([]);
        if (listed.has(shows)) {
          // A list handles its keys wherever the focus is.
          await page.keyboard.press('j');
          await expect(page.locator('tbody tr[data-cursor]')).toHaveCount(1);
        }
        if (index === 0 && listed.has(shows)) {
          await page.setViewportSize(tablet);
          await expect.poll(() => page.evaluate(tablesRunningOff)).toEqual([]);
        }
        if (index === 0) await page.setViewportSize(phone);
        await expect.poll(() => page.evaluate(partsRunningOff)).toEqual([]);
        await page.setViewportSize({ width, height });
      };
      const step = (each: Look, isLoaded: boolean) =>
        test
          .step(each.path, async () => {
            await (isLoaded ? page.goto(serviceUrl() + each.path) : follow(page, each.path));
            await look(each);
          })
          .catch((error: Error) => wrong.push(`${each.path}: ${error.message}`));

      const invitation = `/invitation#${ids.invitationToken}`;
      await step({ path: '/sign-in', heading: /.+/, shows: button('Sign in') }, true);
      await step(
        { path: invitation, heading: /^Join /, shows: (it: Page) => it.getByLabel('Your name') },
        true,
      );
      await storeSession(page);
      // Each page is loaded once by its address, then reached from the previous page, which is faster.
      let loaded = '';
      for (const each of pages(ids)) {
        const [route] = each.path.split('?');
        await step(each, loaded === '' || (index === 0 && route !== loaded));
        loaded = route;
      }
      expect(wrong).toEqual([]);
    });
  });
}
