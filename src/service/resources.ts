/** All resources; routes of one never import another. */
import { bindOrganizations } from './resources/organizations/routes.ts';
import { bindProjects } from './resources/projects/routes.ts';
import { bindSession } from './resources/session/routes.ts';
import type { BindRoutes } from './services.ts';

export const resources: BindRoutes[] = [bindSession, bindProjects, bindOrganizations];
