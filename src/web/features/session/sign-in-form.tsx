import { Alert, Anchor, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { explain, ServiceError } from '../../api/errors.ts';
import { login, readHealth } from '../../api/generated/sdk.gen.ts';
import { serviceAddress, sessionToken } from '../../api/session-token.ts';
import { formatDuration } from '../../ui/quantity.ts';
import { SubmitButton } from '../../ui/submit-button.tsx';

/** Seconds until `until` (ms since 1970), counted down; 0 when it has passed. */
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

interface SignInFormProps {
  /** the session ended by itself */
  hasEnded: boolean;
  onSignedIn: () => void;
}

export function SignInForm({ hasEnded, onSignedIn }: SignInFormProps) {
  const [waitUntil, setWaitUntil] = useState(0);
  const secondsToWait = useSecondsUntil(waitUntil);
  const health = useQuery({
    queryKey: ['health'],
    queryFn: async () => (await readHealth({ throwOnError: true })).data,
  });
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? 'Type the e-mail address of your account' : null),
      password: (value) => (value === '' ? 'Type the password' : null),
    },
  });
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) =>
      (await login({ body, throwOnError: true })).data,
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
  const submit = form.onSubmit(({ email, password }) => signIn.mutate({ email: email.trim(), password }));
  const problem = signIn.isError ? explain(signIn.error) : null;
  const isThrottled = secondsToWait > 0;
  return (
    <Paper withBorder p="xl" w={360} radius={8}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <div>
            <img src="/favicon.svg" alt="" width={40} height={40} style={{ marginBottom: 8 }} />
            <Title order={1}>Sign in to Scanwright</Title>
            {serviceAddress !== '' && (
              <Text size="sm" c="dimmed" mt={4}>
                at {serviceAddress}
              </Text>
            )}
          </div>
          {hasEnded && problem === null && (
            <Alert color="accent" variant="light" role="status">
              Your session has ended. Sign in and you are back where you were.
            </Alert>
          )}
          {problem !== null && !(problem.code === 'RATE_LIMITED' && !isThrottled) && (
            <Alert color="danger" variant="light" role="alert" title={problem.title}>
              {isThrottled
                ? `Signing in is paused after too many failed tries. It opens again in ${formatDuration(secondsToWait)}.`
                : problem.code === 'INVALID_CREDENTIALS'
                  ? 'Check both and try again. A manager of your organization can reset your password.'
                  : problem.detail}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordInput
            id="sign-in-password"
            label="Password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          <SubmitButton size="sm" loading={signIn.isPending} disabled={isThrottled} fullWidth>
            Sign in
          </SubmitButton>
          {health.data?.sendsMail && (
            <Anchor href="/reset-password" size="sm">
              Forgot password?
            </Anchor>
          )}
        </Stack>
      </form>
    </Paper>
  );
}
