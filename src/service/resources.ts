/** All resources; routes of one never import another. */
import { bindSession } from './resources/session/routes.ts';
import type { BindRoutes } from './services.ts';

export const resources: BindRoutes[] = [bindSession];
