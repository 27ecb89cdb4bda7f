import {
  Button,
  Group,
  Input,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  type SimpleGridProps,
  Stack,
  Text,
} from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { formatCount, formatQuantities } from '#contract/base/format-number.ts';
import {
  describeField,
  type ImportErrors,
  type ImportField,
  type ImportValues,
  importErrors,
  importFieldNames,
  importFields,
  isAsked,
  isFilled,
  listMissingFields,
  neededBytes,
  readableBytes,
  startingValues,
  type Triple,
} from './import-fields.ts';

interface ImportFieldsFormProps {
  fileName: string | null;
  /** size of the file if known: raw grey values must fit into it */
  sizeBytes: number | null;
  missing: readonly string[];
  /** values suggested by the file */
  suggested?: Record<string, unknown>;
  submitLabel: string;
  isSending?: boolean;
  /** defined if the pictures may also be radiographs */
  onRadiographs?: (() => void) | undefined;
  onSubmit: (values: ImportValues, asked: readonly ImportField[]) => void;
}

/** Asks for information that the file does not contain. */
export function ImportFieldsForm({
  fileName,
  missing,
  suggested,
  submitLabel,
  isSending,
  onRadiographs,
  onSubmit,
  ...file
}: ImportFieldsFormProps) {
  const sizeBytes = readableBytes(fileName, file.sizeBytes);
  const asked = listMissingFields(missing, suggested);
  const [values, setValues] = useState(() => startingValues(suggested));
  const [errors, setErrors] = useState<ImportErrors>({});
  const shown = (field: ImportField) => isAsked(field, asked, values);
  const change = (changes: Partial<ImportValues>) => {
    const next = { ...values, ...changes };
    setValues(next);
    // Clears the error of a corrected field at once, but shows no new error while the user types.
    const found = importErrors(asked, next, sizeBytes);
    setErrors((before) =>
      Object.fromEntries(
        Object.entries(found).filter(([field]) => before[field as ImportField] !== undefined),
      ),
    );
  };
  const check = (field: ImportField) =>
    setErrors((before) => ({ ...before, [field]: importErrors(asked, values, sizeBytes)[field] }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = importErrors(asked, values, sizeBytes);
    setErrors(found);
    if (Object.keys(found).length === 0) onSubmit(values, asked);
  };
  const inputs = (...fields: ImportField[]) =>
    fields
      .filter(shown)
      .map((field) => (
        <FieldInput
          key={field}
          field={field}
          value={values[field]}
          error={errors[field]}
          onChange={(value) => change({ [field]: value })}
          onLeave={() => check(field)}
        />
      ));
  return (
    <form
      onSubmit={submit}
      noValidate
      aria-label={fileName === null ? 'Missing information' : `Missing information: ${fileName}`}
    >
      <Stack gap="sm" maw={640}>
        {shown('sizeConfirmed') ? (
          <SizeQuestion
            fileName={fileName}
            sizeMm={suggested?.sizeMm}
            value={values.sizeConfirmed}
            error={errors.sizeConfirmed}
            onChange={(sizeConfirmed) => change({ sizeConfirmed })}
          />
        ) : (
          <Text size="sm">
            {fileName ?? 'The file'} does not say {describeLack(asked)}.
          </Text>
        )}
        {inputs('dimensions')}
        <Grid cols={{ base: 1, xs: 3 }}>{inputs('dataType', 'byteOrder', 'headerBytes')}</Grid>
        {shown('dimensions') && !errors.dimensions && <SizeNote values={values} sizeBytes={sizeBytes} />}
        {inputs('voxelSizeMm')}
        <Grid cols={{ base: 1, xs: 2 }}>{inputs('unit')}</Grid>
        <Grid cols={2}>{inputs(...geometry)}</Grid>
        <Group gap="xs">
          <Button type="submit" loading={isSending}>
            {submitLabel}
          </Button>
          {onRadiographs && (
            <Button variant="subtle" onClick={onRadiographs}>
              These are radiographs
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** Fields for radiographs. */
const geometry = importFieldNames.slice(importFieldNames.indexOf('beam'));

function describeLack(asked: readonly ImportField[]): string {
  if (geometry.some((field) => asked.includes(field))) return 'how the radiographs were taken';
  if (asked.includes('dimensions')) return 'how its grey values are laid out';
  return asked.includes('unit') ? 'in which unit its lengths are' : 'how large its voxels are';
}

/** The inputs side by side; nothing without inputs. */
const Grid = ({ cols, children }: { cols: SimpleGridProps['cols']; children: ReactNode[] }) =>
  children.length > 0 && (
    <SimpleGrid cols={cols} spacing="sm">
      {children}
    </SimpleGrid>
  );

interface SizeNoteProps {
  values: ImportValues;
  sizeBytes: number | null;
}

/** Compares the bytes required by the description with the size of the file. */
function SizeNote({ values, sizeBytes }: SizeNoteProps) {
  const needed = neededBytes(values);
  if (needed === null || sizeBytes === null) return null;
  const note =
    needed === sizeBytes
      ? `These match the file exactly: ${formatCount(sizeBytes)} bytes.`
      : needed < sizeBytes
        ? `These need ${formatCount(needed)} of ${formatCount(sizeBytes)} bytes; ${formatCount(sizeBytes - needed)} are left over${values.headerBytes === 0 ? ', perhaps a header' : ''}.`
        : `These need ${formatCount(needed)} bytes, the file has ${formatCount(sizeBytes)}.`;
  return (
    <Text size="sm" c="dimmed" role="status">
      {note}
    </Text>
  );
}

interface SizeQuestionProps {
  fileName: string | null;
  sizeMm: unknown;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** Asks for confirmation of an unusually small or large part, because usually its unit is wrong. */
function SizeQuestion({ fileName, sizeMm, value, error, onChange }: SizeQuestionProps) {
  const sides = Array.isArray(sizeMm) ? formatQuantities(sizeMm.map(Number), 'mm') : '–';
  return (
    <Radio.Group
      label={`${fileName ?? 'The part'} would be ${sides} in size. Is that right?`}
      value={value}
      error={error}
      onChange={onChange}
    >
      <Group mt={4}>
        {Object.entries(importFields.sizeConfirmed.options).map(([answer, label]) => (
          <Radio key={answer} value={answer} label={label} />
        ))}
      </Group>
    </Radio.Group>
  );
}

interface FieldInputProps {
  field: ImportField;
  value: string | number | Triple;
  error: string | undefined;
  onChange: (value: string | number | Triple) => void;
  onLeave: () => void;
}

/** The input of one field. A number is checked when the user leaves it, three numbers when all are entered. */
function FieldInput({ field, value, error, onChange, onLeave }: FieldInputProps) {
  const declared = describeField(field);
  if (declared.kind === 'choice')
    return (
      <Select
        label={declared.label}
        placeholder="Choose"
        data={Object.entries(declared.options).map(([option, label]) => ({ value: option, label }))}
        value={String(value) || null}
        error={error}
        onChange={(next) => onChange(next ?? '')}
        allowDeselect={declared.initial === undefined}
      />
    );
  const { label, unit, isWhole, initial } = declared;
  const numbers = {
    error: declared.kind === 'triple' ? error !== undefined : error,
    allowDecimal: !isWhole,
    allowNegative: false,
    decimalScale: 9,
    hideControls: true,
    rightSection: unit !== '' && (
      <Text size="xs" c="dimmed">
        {unit}
      </Text>
    ),
    rightSectionWidth: unit === '' ? undefined : 48,
    rightSectionPointerEvents: 'none',
  } as const;
  const leave = () => (isFilled(value) || initial !== undefined) && onLeave();
  const toNumber = (next: number | string) => (next === '' ? '' : Number(next));
  if (!Array.isArray(value))
    return (
      <NumberInput
        {...numbers}
        label={label}
        value={value}
        onChange={(next) => onChange(toNumber(next))}
        onBlur={leave}
      />
    );
  const fillOthers = () => {
    const [x, y, z] = value;
    // Voxels usually have the same size along all axes, but not the same number.
    if (!isWhole && x !== '' && y === '' && z === '') onChange([x, x, x]);
    leave();
  };
  return (
    <Input.Wrapper label={`${label} along x, y, z`} labelElement="div" error={error}>
      <SimpleGrid cols={3} spacing="xs">
        {['x', 'y', 'z'].map((axis, index) => (
          <NumberInput
            {...numbers}
            key={axis}
            aria-label={`${label} along ${axis}${unit && ` in ${unit}`}`}
            placeholder={axis}
            value={value[index]}
            onChange={(next) => onChange(value.with(index, toNumber(next)) as Triple)}
            onBlur={fillOthers}
          />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  );
}
