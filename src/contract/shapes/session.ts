import { z } from 'zod';
import { Timestamp, UserSummary, Uuid } from '../base/primitives.ts';
import { Name, WorkspaceRole } from './organization.ts';
import { definePage } from './page.ts';
import { passwordLength } from './password-length.ts';

export const LoginInput = z
  .strictObject({ email: z.string().min(1).max(320), password: z.string().min(1).max(1024) })
  .meta({ id: 'LoginInput' });

export const Session = z
  .object({ token: z.string(), expiresAt: Timestamp, user: UserSummary })
  .meta({ id: 'Session' });

const NewPassword = z
  .string()
  .min(passwordLength.min, `at least ${passwordLength.min} characters`)
  .max(passwordLength.max)
  .meta({
    description: `at least ${passwordLength.min} characters, not easy to guess, not the email address, not the old password; with 12 characters or more, only the most common passwords are refused`,
  });

export const PasswordChangeInput = z
  .strictObject({
    oldPassword: z.string().min(1).max(passwordLength.max),
    newPassword: NewPassword,
  })
  .meta({ id: 'PasswordChangeInput' });

/** An active session of the user. */
export const OpenSession = z
  .object({
    id: Uuid,
    address: z.string().nullable().meta({ description: 'IP address at sign-in; null when unknown' }),
    userAgent: z
      .string()
      .nullable()
      .meta({ description: 'user agent of the browser or program; null when unknown' }),
    isCurrent: z.boolean().meta({ description: 'true: the session of this request' }),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().meta({ description: 'null: not used yet' }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'OpenSession' });
export const OpenSessionPage = definePage(OpenSession, 'OpenSessionPage');

const ResetToken = z.string().min(20).max(200);
export const PasswordResetRequest = z
  .strictObject({ email: z.string().min(1).max(320) })
  .meta({ id: 'PasswordResetRequest' });
export const PasswordResetQuestion = z
  .strictObject({ token: ResetToken })
  .meta({ id: 'PasswordResetQuestion' });
/** A password reset as shown to anyone who has its link. */
export const OpenPasswordReset = z
  .object({ email: z.string(), expiresAt: Timestamp })
  .meta({ id: 'OpenPasswordReset' });
export const PasswordResetAnswer = z
  .strictObject({ token: ResetToken, newPassword: NewPassword })
  .meta({ id: 'PasswordResetAnswer' });

export const MePatch = z.strictObject({ name: Name }).meta({ id: 'MePatch' });
export const AccountDeletion = z
  .strictObject({ password: z.string().min(1).max(passwordLength.max) })
  .meta({ id: 'AccountDeletion' });

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
