/** All resources. Resources never import each other. */
import { bindAccount } from './resources/account/routes.ts';
import { bindBookmarks } from './resources/bookmarks/routes.ts';
import { bindBulk } from './resources/bulk/routes.ts';
import { bindData } from './resources/data/routes.ts';
import { bindEvents } from './resources/events/routes.ts';
import { bindExports } from './resources/exports/routes.ts';
import { bindFiles } from './resources/files/routes.ts';
import { bindMeasurements } from './resources/measurements/routes.ts';
import { bindOperations } from './resources/operations/routes.ts';
import { bindOrganizations } from './resources/organizations/routes.ts';
import { bindProjects } from './resources/projects/routes.ts';
import { bindRecipes } from './resources/recipes/routes.ts';
import { bindSession } from './resources/session/routes.ts';
import { bindUploads } from './resources/uploads/routes.ts';
import { bindVerdicts } from './resources/verdicts/routes.ts';
import type { BindRoutes } from './services.ts';

export const resources: BindRoutes[] = [
  bindSession,
  bindProjects,
  bindVerdicts,
  bindOperations,
  bindRecipes,
  bindData,
  bindUploads,
  bindExports,
  bindBulk,
  bindFiles,
  bindOrganizations,
  bindBookmarks,
  bindMeasurements,
  bindEvents,
  bindAccount,
];
