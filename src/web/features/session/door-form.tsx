/**
 * Forms of the pages before sign-in. They look and behave like `Form` but validate by functions: the contract's schemas
 * would double the size of the sign-in page.
 */
import { Alert, Paper, PasswordInput, type PasswordInputProps, Stack, Text, Title } from '@mantine/core';
import { type FormRule, type UseFormReturnType, useForm } from '@mantine/form';
import { getHotkeyHandler } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { explain } from '#web/api/errors.ts';
import { SubmitButton } from '#web/ui/submit-button.tsx';

export const DoorCard = ({ children }: { children: ReactNode }) => (
  <Paper withBorder p="xl" w={400} maw="100%" radius={8}>
    <Stack gap="md">{children}</Stack>
  </Paper>
);

/** Title and purpose of the page. */
export const DoorTitle = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div>
    <Title order={1}>{title}</Title>
    {children !== undefined && (
      <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    )}
  </div>
);

/** Validation of a required field. */
export const isFilled =
  (words: string): FormRule<string, unknown> =>
  (value) =>
    value.trim() === '' ? words : null;

interface DoorFormProps<Values extends Record<string, string>> {
  /** its label for screen readers */
  label: string;
  initial: Values;
  rules: { [Field in keyof Values]?: FormRule<Values[Field], Values> };
  mutation: { error: unknown; isPending: boolean };
  onSubmit: (values: Values) => void;
  submitLabel: string;
  /** replaces the error message of the service */
  problem?: ReactNode;
  /** the form can't be sent yet; `problem` says why */
  isOff?: boolean;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

export function DoorForm<Values extends Record<string, string>>(props: DoorFormProps<Values>) {
  const { initial, rules, mutation, isOff = false } = props;
  const form = useForm<Values>({ initialValues: initial, validate: rules });
  const { error } = mutation;
  const failure = error === null ? null : explain(error);
  const { setErrors } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error is assigned to its fields once
  useEffect(() => {
    if (failure !== null) setErrors(failure.fields);
  }, [error]);
  const isAtField = failure !== null && Object.keys(failure.fields).some((field) => field in initial);
  const submit = form.onSubmit((values) => {
    if (!isOff && !mutation.isPending) props.onSubmit(values);
  });
  return (
    <form
      onSubmit={submit}
      onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
      noValidate
      aria-label={props.label}
    >
      <Stack gap="md">
        {props.problem ??
          (failure !== null && !isAtField && (
            <Alert color="danger" variant="light" role="alert" title={failure.title}>
              {failure.detail}
            </Alert>
          ))}
        {props.children(form)}
        <SubmitButton size="sm" loading={mutation.isPending} disabled={isOff} fullWidth>
          {props.submitLabel}
        </SubmitButton>
      </Stack>
    </form>
  );
}

/** A password field, with a hidden field that names the account for password managers. */
export const DoorPassword = ({ account, ...rest }: PasswordInputProps & { account?: string }) => (
  <>
    {account !== undefined && (
      <input type="hidden" name="username" autoComplete="username" value={account} readOnly />
    )}
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
      {...rest}
    />
  </>
);
