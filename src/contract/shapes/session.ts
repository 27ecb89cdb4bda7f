import { z } from 'zod';
import { WorkspaceRole } from './organization.ts';
import { Timestamp, UserSummary, Uuid } from './primitives.ts';

export const LoginInput = z
  .strictObject({ email: z.string().min(1).max(320), password: z.string().min(1).max(1024) })
  .meta({ id: 'LoginInput' });

export const Session = z
  .object({ token: z.string(), expiresAt: Timestamp, user: UserSummary })
  .meta({ id: 'Session' });

export const passwordLength = { min: 10, max: 1024 } as const;

export const PasswordChangeInput = z
  .strictObject({
    oldPassword: z.string().min(1).max(passwordLength.max),
    newPassword: z
      .string()
      .min(passwordLength.min, `at least ${passwordLength.min} characters`)
      .max(passwordLength.max)
      .meta({
        description: `at least ${passwordLength.min} characters, not the e-mail address, not the old one`,
      }),
  })
  .meta({ id: 'PasswordChangeInput' });

export const Me = z
  .object({
    user: UserSummary,
    expiresAt: Timestamp,
    organizations: z.array(
      z.object({
        id: Uuid,
        name: z.string(),
        isManager: z.boolean(),
        workspaces: z.array(z.object({ id: Uuid, name: z.string(), role: WorkspaceRole })),
      }),
    ),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
