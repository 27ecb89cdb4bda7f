/**
 * All forms use this: fields by name, validated by the contract's schema, with the service's field errors at their
 * fields.
 */
import { Button, type ButtonProps, Group, Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import type { z } from 'zod';
import { ActionButton } from './action-button.tsx';
import { isEscape } from './is-escape.ts';
import { ExplainContext, ProblemAlert } from './problem-alert.tsx';
import { keepFocus } from './submit-button.tsx';

/** For a form without a mutation. */
export const noMutation = { error: null, isPending: false };

type Words = Partial<Record<string, string>>;

/** Describes an invalid field for the user. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && issue.origin === 'string')
    return issue.minimum === 1 ? 'Fill this in' : `At least ${issue.minimum} characters`;
  if (issue.code === 'too_big' && issue.origin === 'string') return `At most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email')
    return 'An email address, like name@company.com';
  return issue.message;
}

/** The first problem of each field according to the contract's schema; `words` replace its message where given. */
export function checkFields(schema: z.ZodType, input: unknown, words: Words = {}): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of schema.safeParse(input).error?.issues ?? []) {
    const field = String(issue.path[0]);
    errors[field] ??= words[field] ?? describeIssue(issue);
  }
  return errors;
}

interface FormProps<Values extends Record<string, unknown>, Input> {
  /** its label for screen readers */
  label?: string;
  initial: Values;
  schema: z.ZodType<unknown, Input>;
  /** the request body; by default the values themselves */
  toInput?: (values: Values) => Input;
  /** messages by field that replace those of the schema where these are too technical */
  words?: Words;
  /** errors by field that the schema can't detect; they take precedence over the schema's */
  check?: (values: Values) => Record<string, string>;
  mutation: { error: unknown; isPending: boolean };
  onSubmit: (input: Input, form: UseFormReturnType<Values>) => void;
  submitLabel: string;
  /** size and variant of the submit button, for a form among other content */
  submitLook?: Pick<ButtonProps, 'size' | 'variant'>;
  /** why the form can't be sent now; null = it can */
  reason?: string | null | ((values: Values) => string | null);
  /** red: can't be undone */
  isDangerous?: boolean;
  /** focuses the submit button when the form opens */
  startsAtSubmit?: boolean;
  onCancel?: () => void;
  /** to the left of the buttons */
  aside?: ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

export function Form<Values extends Record<string, unknown>, Input = Values>(
  props: FormProps<Values, Input>,
) {
  const { schema, toInput, words, mutation, onSubmit, onCancel } = props;
  const explain = useContext(ExplainContext);
  const readInput = (values: Values) =>
    toInput === undefined ? (values as unknown as Input) : toInput(values);
  const form = useForm<Values>({
    initialValues: props.initial,
    validate: (values) => ({ ...checkFields(schema, readInput(values), words), ...props.check?.(values) }),
  });
  const reason = typeof props.reason === 'function' ? props.reason(form.values) : (props.reason ?? null);
  const { error } = mutation;
  const { fields } = explain(error);
  const { setErrors } = form;
  const element = useRef<HTMLFormElement>(null);
  const showFirst = (errors: Record<string, unknown>) =>
    [...(element.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
      .find(({ dataset: { path = '' } }) => path in errors)
      ?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error is assigned to its fields once
  useEffect(() => {
    if (error === null) return;
    setErrors(fields);
    showFirst(fields);
  }, [error]);
  const submit = form.onSubmit((values) => {
    if (reason === null && !mutation.isPending) onSubmit(readInput(values), form);
  }, showFirst);
  const isAtField = Object.keys(fields).some((field) => field in props.initial);
  return (
    <form
      ref={element}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (onCancel === undefined || !isEscape(event)) return;
        event.preventDefault();
        onCancel();
      }}
      noValidate
      aria-label={props.label}
    >
      <Stack gap="sm">
        {!isAtField && <ProblemAlert error={error} />}
        {props.children(form)}
        <Group justify={props.aside === undefined ? 'flex-end' : 'space-between'} gap="xs">
          {props.aside}
          <Group gap="xs">
            {onCancel !== undefined && (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
            <ActionButton
              {...props.submitLook}
              type="submit"
              onMouseDown={keepFocus}
              loading={mutation.isPending}
              reason={reason}
              color={props.isDangerous ? 'danger' : undefined}
              data-autofocus={props.startsAtSubmit || undefined}
            >
              {props.submitLabel}
            </ActionButton>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface NameFormProps
  extends Omit<FormProps<{ name: string }, { name: string }>, 'initial' | 'toInput' | 'children'> {
  name?: string;
  label?: string;
  description?: string;
}

/** A form with a name as its only field. */
export const NameForm = ({ name = '', label = 'Name', description, ...rest }: NameFormProps) => (
  <Form {...rest} initial={{ name }}>
    {(form) => (
      <TextInput label={label} description={description} data-autofocus {...form.getInputProps('name')} />
    )}
  </Form>
);
