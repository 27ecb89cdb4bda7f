import { Alert, Anchor, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { explain, ServiceError } from '#web/api/errors.ts';
import { login, readHealth } from '#web/api/generated/sdk.gen.ts';
import { serviceAddress, sessionToken } from '#web/api/session-token.ts';
import { formatDuration } from '#web/ui/quantity.ts';
import { DoorCard, DoorForm, DoorPassword, DoorTitle, isFilled } from './door-form.tsx';

/** Seconds until `until` (ms since 1970), counted down; 0 once it has passed. */
function useSecondsUntil(until: number): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const count = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

/** Describes the error in the words of this page, which knows what the user can do. */
function SignInProblem({ error, secondsToWait }: { error: unknown; secondsToWait: number }) {
  const { code, title, detail } = explain(error);
  // The waiting time is over; the user can try again.
  if (code === 'RATE_LIMITED' && secondsToWait === 0) return null;
  return (
    <Alert color="danger" variant="light" role="alert" title={title}>
      {secondsToWait > 0
        ? `Too many failed sign-ins. Try again in ${formatDuration(secondsToWait)}.`
        : code === 'INVALID_CREDENTIALS'
          ? 'Check both and try again. A manager of your organization can reset your password.'
          : detail}
    </Alert>
  );
}

interface SignInFormProps {
  /** whether the session expired */
  hasEnded: boolean;
  onSignedIn: () => void;
}

export function SignInForm({ hasEnded, onSignedIn }: SignInFormProps) {
  const [waitUntil, setWaitUntil] = useState(0);
  const secondsToWait = useSecondsUntil(waitUntil);
  const health = useQuery({
    queryKey: ['health'],
    queryFn: async () => (await readHealth()).data,
  });
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) => (await login({ body })).data,
    onSuccess: ({ token, expiresAt }) => {
      sessionToken.write({ token, expiresAt });
      onSignedIn();
    },
    onError: (error) => {
      if (error instanceof ServiceError && error.code === 'RATE_LIMITED')
        setWaitUntil(Date.now() + (error.retryAfterSeconds ?? 60) * 1000);
      else document.getElementById('sign-in-password')?.focus();
    },
  });
  return (
    <DoorCard>
      <div>
        <img src="/favicon.svg" alt="" width={40} height={40} style={{ marginBottom: 8 }} />
        <DoorTitle title="Sign in to Scanwright">
          {serviceAddress === '' ? undefined : `at ${serviceAddress}`}
        </DoorTitle>
      </div>
      {hasEnded && !signIn.isError && (
        <Alert color="accent" variant="light" role="status">
          Your session has ended. Sign in to continue where you were.
        </Alert>
      )}
      <DoorForm
        label="Sign in"
        initial={{ email: '', password: '' }}
        rules={{
          email: isFilled('Type the email address of your account'),
          password: (value) => (value === '' ? 'Type the password' : null),
        }}
        mutation={signIn}
        onSubmit={({ email, password }) => signIn.mutate({ email: email.trim(), password })}
        submitLabel="Sign in"
        problem={signIn.isError && <SignInProblem error={signIn.error} secondsToWait={secondsToWait} />}
        isOff={secondsToWait > 0}
      >
        {(form) => (
          <>
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              autoFocus
              {...form.getInputProps('email')}
            />
            <DoorPassword
              id="sign-in-password"
              label="Password"
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
          </>
        )}
      </DoorForm>
      {health.data?.sendsMail && (
        <Anchor href="/reset-password" size="sm">
          Forgot password?
        </Anchor>
      )}
    </DoorCard>
  );
}
