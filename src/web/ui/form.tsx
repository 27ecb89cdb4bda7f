/** The one way of writing forms: fields by name, checked by the contract's schema, refusals of the service at their fields. */
import { Button, type ButtonProps, Group, Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import type { z } from 'zod';
import { ActionButton } from './action-button.tsx';
import { isEscape } from './is-escape.ts';
import { ExplainContext, ProblemAlert } from './problem-alert.tsx';
import { keepFocus } from './submit-button.tsx';

/** Of a form that only answers a question. */
export const noMutation = { error: null, isPending: false };

type Words = Partial<Record<string, string>>;

/** What a field needs, for whoever fills it in. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && issue.origin === 'string')
    return issue.minimum === 1 ? 'Fill this in' : `At least ${issue.minimum} characters`;
  if (issue.code === 'too_big' && issue.origin === 'string') return `At most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email')
    return 'An e-mail address, like name@company.com';
  return issue.message;
}

/** The first problem of each field by the contract's own schema; `words` say it better where they can. */
export function checkFields(schema: z.ZodType, input: unknown, words: Words = {}): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of schema.safeParse(input).error?.issues ?? []) {
    const field = String(issue.path[0]);
    errors[field] ??= words[field] ?? describeIssue(issue);
  }
  return errors;
}

interface FormProps<Values extends Record<string, unknown>, Input> {
  /** its name for screen readers */
  label?: string;
  initial: Values;
  schema: z.ZodType<unknown, Input>;
  /** what is sent; without it the values themselves */
  toInput?: (values: Values) => Input;
  /** what a field needs, where the schema says it too technically */
  words?: Words;
  /** what the schema can't see: by field, in place of what the schema says */
  check?: (values: Values) => Record<string, string>;
  mutation: { error: unknown; isPending: boolean };
  onSubmit: (input: Input, form: UseFormReturnType<Values>) => void;
  submitLabel: string;
  /** of one that stands among other things */
  submitLook?: Pick<ButtonProps, 'size' | 'variant'>;
  /** why it can't be sent now; null = it can */
  reason?: string | null | ((values: Values) => string | null);
  /** red: can't be undone */
  isDangerous?: boolean;
  /** opens with the focus on the button that sends it */
  startsAtSubmit?: boolean;
  onCancel?: () => void;
  /** left of the buttons */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is put to its fields once
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

/** Asks for a name, and nothing else. */
export const NameForm = ({ name = '', label = 'Name', description, ...rest }: NameFormProps) => (
  <Form {...rest} initial={{ name }}>
    {(form) => (
      <TextInput label={label} description={description} data-autofocus {...form.getInputProps('name')} />
    )}
  </Form>
);
