import {
  Checkbox,
  Group,
  Input,
  JsonInput,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import type { Field } from '#contract/analyses/fields.ts';
import { capitalised } from '#contract/base/format-number.ts';
import { describeLimits } from './form-model.ts';

export interface SourceChoice {
  id: string;
  name: string;
  /** the kind in words, where objects of several kinds can be chosen */
  kind?: string;
}

export interface FieldProps {
  field: Field;
  value: unknown;
  error: string | undefined;
  autoFocus: boolean;
  onChange: (value: unknown) => void;
  onLeave: () => void;
}

interface FieldInputProps extends FieldProps {
  /** choices of a data object field, newest first */
  sources: readonly SourceChoice[];
  /** why a choice is not available now; null = it is */
  reasonAgainst?: (choice: string) => string | null;
}

const below = ['label', 'input', 'error', 'description'] as ('label' | 'input' | 'error' | 'description')[];

const triple = (value: unknown): (number | '')[] =>
  [0, 1, 2].map((axis) => {
    const each = Array.isArray(value) ? value[axis] : undefined;
    return typeof each === 'number' ? each : '';
  });

/** Properties shared by the controls of all kinds. @param reasons why choices are not available */
export function sharedProps(
  { field, error, autoFocus, onLeave }: FieldProps,
  reasons: readonly (string | null)[] = [],
) {
  // The error message already states the limits.
  const limits = error === undefined ? describeLimits(field) : null;
  const help = [limits, field.description, ...reasons].filter((part) => part !== null).join(' · ');
  return {
    label: field.title,
    description: help === '' ? undefined : capitalised(help),
    error,
    withAsterisk: field.required,
    inputWrapperOrder: below,
    onBlur: onLeave,
    'data-autofocus': autoFocus || undefined,
    'data-field': field.key,
  };
}

export const nameChoice = ({ name, kind }: SourceChoice): string =>
  kind === undefined || kind === name ? name : `${name} (${kind})`;

const nameOption = ({ words }: Field, option: string): string => words[option] ?? option;

/** The input of one parameter. */
export function FieldInput(props: FieldInputProps) {
  const { field, value, error, sources, reasonAgainst = () => null, onChange, onLeave } = props;
  const options = field.kind === 'choice' ? field.options : [];
  const reasons = options.map((option) => {
    const reason = reasonAgainst(option);
    return reason === null ? null : `${nameOption(field, option)}: ${reason}`;
  });
  const shared = sharedProps(props, reasons);
  const { description } = shared;

  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          {...shared}
          {...numberProps(field)}
          value={showNumber(value, field.word)}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      );
    case 'choice':
      return field.options.length <= 3 ? (
        <ShortChoice {...{ field, value, error, reasonAgainst, onChange }} description={shared.description} />
      ) : (
        <Select
          {...shared}
          data={field.options.map((option) => ({ value: option, label: nameOption(field, option) }))}
          value={typeof value === 'string' ? value : null}
          onChange={(next) => onChange(next ?? undefined)}
          allowDeselect={!field.required}
        />
      );
    case 'choices':
      return (
        <Checkbox.Group
          label={field.title}
          description={description}
          error={error}
          value={Array.isArray(value) ? value : []}
          onChange={(next) => onChange(next)}
          inputWrapperOrder={below}
        >
          <Group gap="md" py={4}>
            {field.options.map((option) => (
              <Checkbox key={option} value={option} label={nameOption(field, option)} onBlur={onLeave} />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case 'switch':
      return (
        <Switch
          label={field.title}
          description={description}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
          onBlur={onLeave}
        />
      );
    case 'dataObject':
      return (
        <Select
          {...shared}
          data={sources.map((source) => ({ value: source.id, label: nameChoice(source) }))}
          value={typeof value === 'string' ? value : null}
          onChange={(next) => onChange(next ?? undefined)}
          placeholder={
            sources[0] === undefined
              ? 'Nothing suitable in this project'
              : field.required
                ? 'Choose one'
                : `Newest: ${sources[0].name}`
          }
          clearable={!field.required}
          searchable={sources.length > 8}
        />
      );
    case 'box':
      return <BoxInput {...{ field, value, error, onChange, onLeave }} description={description} />;
    case 'numbers':
      return (
        <TextInput
          {...shared}
          defaultValue={Array.isArray(value) ? value.join(' ') : ''}
          onChange={(event) => {
            const text = event.currentTarget.value.trim();
            onChange(text === '' ? undefined : text.split(/[\s,;]+/).map(Number));
          }}
          placeholder="Numbers separated by spaces"
        />
      );
    case 'text':
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    case 'json':
      return (
        <JsonInput
          {...shared}
          defaultValue={value === undefined ? '' : JSON.stringify(value, null, 2)}
          onChange={(text) => onChange(parseJson(text))}
          autosize
          minRows={4}
          formatOnBlur
        />
      );
  }
}

const numberProps = (field: Extract<Field, { kind: 'number' }>) =>
  ({
    allowDecimal: !field.integer,
    decimalScale: 9,
    clampBehavior: 'none',
    hideControls: true,
    placeholder: describeEmpty(field),
    rightSection: field.unit && <Unit>{field.unit}</Unit>,
    rightSectionWidth: field.unit ? 20 + field.unit.length * 8 : undefined,
    rightSectionPointerEvents: 'none',
  }) as const;

/** Placeholder of an empty number field: the word that an empty field stands for. */
function describeEmpty({ word, required, onlyWhen }: Extract<Field, { kind: 'number' }>): string | undefined {
  if (word !== null) return capitalised(word);
  return required || onlyWhen !== null ? undefined : 'not given';
}

const showNumber = (value: unknown, word: string | null) =>
  (typeof value === 'number' || typeof value === 'string') && value !== word ? value : '';

/** Parses the text as JSON; returns the text itself while it is invalid. */
function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

interface ShortChoiceProps extends Pick<FieldProps, 'value' | 'error' | 'onChange'> {
  field: Extract<Field, { kind: 'choice' }>;
  description: string | undefined;
  reasonAgainst: (choice: string) => string | null;
}

/** Choices short enough to be side by side. */
const ShortChoice = ({ field, value, error, description, reasonAgainst, onChange }: ShortChoiceProps) => (
  <Input.Wrapper
    label={field.title}
    description={description}
    error={error}
    labelElement="div"
    inputWrapperOrder={below}
  >
    <div>
      <SegmentedControl
        aria-label={field.title}
        data={field.options.map((option) => ({
          value: option,
          label: nameOption(field, option),
          disabled: reasonAgainst(option) !== null,
        }))}
        value={String(value ?? '')}
        onChange={(next) => onChange(next)}
        data-field={field.key}
      />
    </div>
  </Input.Wrapper>
);

const Unit = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

type BoxInputProps = Omit<FieldProps, 'autoFocus'> & { description: string | undefined };

/** The two corners of a box; empty = the whole scan. */
function BoxInput({ field, value, error, description, onChange, onLeave }: BoxInputProps) {
  const box = (typeof value === 'object' && value !== null ? value : {}) as { min?: unknown; max?: unknown };
  const corners = { min: triple(box.min), max: triple(box.max) };
  const change = (corner: 'min' | 'max', axis: number, next: number | string) => {
    const changed = { ...corners, [corner]: corners[corner].with(axis, next === '' ? '' : Number(next)) };
    const isEmpty = [...changed.min, ...changed.max].every((each) => each === '');
    onChange(isEmpty ? undefined : changed);
  };
  return (
    <Input.Wrapper
      label={field.title}
      labelElement="div"
      description={description}
      error={error}
      inputWrapperOrder={below}
    >
      {(['min', 'max'] as const).map((corner) => (
        <SimpleGrid key={corner} cols={3} spacing={6} mb={6}>
          {['x', 'y', 'z'].map((axis, index) => (
            <NumberInput
              key={axis}
              aria-label={`${field.title}, ${corner === 'min' ? 'from' : 'to'} ${axis} in ${field.unit ?? 'mm'}`}
              placeholder={corner === 'min' ? 'start' : 'end'}
              leftSection={
                <Text size="xs" c="dimmed">
                  {axis} {corner === 'min' ? 'from' : 'to'}
                </Text>
              }
              leftSectionWidth={52}
              leftSectionPointerEvents="none"
              error={error !== undefined}
              value={corners[corner][index]}
              onChange={(next) => change(corner, index, next)}
              onBlur={onLeave}
              hideControls
              rightSection={
                <Text size="xs" c="dimmed">
                  {field.unit ?? 'mm'}
                </Text>
              }
              rightSectionWidth={34}
              rightSectionPointerEvents="none"
            />
          ))}
        </SimpleGrid>
      ))}
    </Input.Wrapper>
  );
}
