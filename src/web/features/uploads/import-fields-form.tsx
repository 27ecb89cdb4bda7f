import { Button, Group, Input, NumberInput, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { formatCount, formatQuantities } from '#contract/base/format-number.ts';
import {
  beamLabels,
  dataTypeLabels,
  geometryNumbers,
  type ImportErrors,
  type ImportField,
  type ImportValues,
  importErrors,
  isAsked,
  listMissingFields,
  neededBytes,
  readableBytes,
  startingValues,
  type Triple,
  turntableLabels,
  unitLabels,
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
  const inputs = { shown, values, errors, onChange: change, onLeave: check };
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
        {shown('dimensions') && (
          <TripleInput
            label="Voxels along x, y, z"
            what="Voxels"
            value={values.dimensions}
            error={errors.dimensions}
            allowDecimal={false}
            onChange={(dimensions) => change({ dimensions })}
            onLeave={() => values.dimensions.every((each) => each !== '') && check('dimensions')}
          />
        )}
        <GreyValueInputs {...inputs} />
        {shown('dimensions') && !errors.dimensions && <SizeNote values={values} sizeBytes={sizeBytes} />}
        {shown('voxelSizeMm') && (
          <TripleInput
            label="Voxel size along x, y, z"
            what="Voxel size"
            unit="mm"
            value={values.voxelSizeMm}
            error={errors.voxelSizeMm}
            allowDecimal
            fillsOthers
            onChange={(voxelSizeMm) => change({ voxelSizeMm })}
            onLeave={() => values.voxelSizeMm.every((each) => each !== '') && check('voxelSizeMm')}
          />
        )}
        {shown('unit') && (
          <Select
            label="Unit of the coordinates"
            placeholder="Choose"
            data={Object.entries(unitLabels).map(([value, label]) => ({ value, label }))}
            value={values.unit || null}
            error={errors.unit}
            onChange={(unit) => change({ unit: unit ?? '' })}
            maw={240}
          />
        )}
        <GeometryInputs {...inputs} />
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

function describeLack(asked: readonly ImportField[]): string {
  if (geometryNumbers.some((field) => asked.includes(field))) return 'how the radiographs were taken';
  if (asked.includes('dimensions')) return 'how its grey values are laid out';
  return asked.includes('unit') ? 'in which unit its lengths are' : 'how large its voxels are';
}

interface InputsProps {
  shown: (field: ImportField) => boolean;
  values: ImportValues;
  errors: ImportErrors;
  onChange: (changes: Partial<ImportValues>) => void;
  onLeave: (field: ImportField) => void;
}

/** Storage format of raw grey values. */
function GreyValueInputs({ shown, values, errors, onChange, onLeave }: InputsProps) {
  if (!shown('dataType') && !shown('headerBytes')) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      {shown('dataType') && (
        <Select
          label="Grey values"
          placeholder="Choose"
          data={Object.entries(dataTypeLabels).map(([value, label]) => ({ value, label }))}
          value={values.dataType || null}
          error={errors.dataType}
          onChange={(dataType) => onChange({ dataType: dataType ?? '' })}
        />
      )}
      {shown('byteOrder') && (
        <Select
          label="Byte order"
          data={[
            { value: 'little', label: 'Little endian (usual)' },
            { value: 'big', label: 'Big endian' },
          ]}
          value={values.byteOrder || null}
          error={errors.byteOrder}
          onChange={(byteOrder) => onChange({ byteOrder: byteOrder ?? '' })}
          allowDeselect={false}
        />
      )}
      {shown('headerBytes') && (
        <NumberInput
          label="Header"
          value={values.headerBytes}
          error={errors.headerBytes}
          onChange={(next) => onChange({ headerBytes: next === '' ? '' : Number(next) })}
          onBlur={() => onLeave('headerBytes')}
          allowDecimal={false}
          hideControls
          rightSection={<Unit>bytes</Unit>}
          rightSectionWidth={48}
        />
      )}
    </SimpleGrid>
  );
}

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
  value: ImportValues['sizeConfirmed'];
  error: string | undefined;
  onChange: (value: ImportValues['sizeConfirmed']) => void;
}

/** Asks for confirmation of an unusually small or large part, because usually its unit is wrong. */
function SizeQuestion({ fileName, sizeMm, value, error, onChange }: SizeQuestionProps) {
  const sides = Array.isArray(sizeMm) ? formatQuantities(sizeMm.map(Number), 'mm') : '–';
  return (
    <Radio.Group
      label={`${fileName ?? 'The part'} would be ${sides} in size. Is that right?`}
      value={value}
      error={error}
      onChange={(next) => onChange(next === 'yes' ? 'yes' : 'no')}
    >
      <Group mt={4}>
        <Radio value="yes" label="Yes, import it" />
        <Radio value="no" label="No, correct it" />
      </Group>
    </Radio.Group>
  );
}

const geometryLabels: Record<(typeof geometryNumbers)[number], string> = {
  sourceToAxisMm: 'Source to axis of rotation',
  sourceToDetectorMm: 'Source to detector',
  pixelSizeMm: 'Pixel size of the detector',
  totalAngleDeg: 'Scan angle',
};

/** Geometry of radiographs: the beam, two distances, pixel size and rotation. */
function GeometryInputs({ shown, values, errors, onChange, onLeave }: InputsProps) {
  if (!shown('beam') && !geometryNumbers.some(shown)) return null;
  const choices = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  return (
    <SimpleGrid cols={2} spacing="sm">
      {shown('beam') && (
        <Select
          label="Beam"
          data={choices(beamLabels)}
          value={values.beam}
          onChange={(beam) => onChange({ beam: beam ?? 'cone' })}
          allowDeselect={false}
        />
      )}
      {geometryNumbers.filter(shown).map((field) => (
        <NumberInput
          key={field}
          label={geometryLabels[field]}
          value={values[field]}
          error={errors[field]}
          onChange={(next) => onChange({ [field]: next === '' ? '' : Number(next) })}
          onBlur={() => values[field] !== '' && onLeave(field)}
          allowNegative={false}
          decimalScale={9}
          hideControls
          rightSection={<Unit>{field === 'totalAngleDeg' ? '°' : 'mm'}</Unit>}
          rightSectionWidth={40}
          rightSectionPointerEvents="none"
        />
      ))}
      {shown('turntable') && (
        <Select
          label="The part turns, seen from above"
          data={choices(turntableLabels)}
          value={values.turntable}
          onChange={(turntable) => onChange({ turntable: turntable ?? 'counterclockwise' })}
          allowDeselect={false}
        />
      )}
    </SimpleGrid>
  );
}

const Unit = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);

interface TripleInputProps {
  label: string;
  what: string;
  unit?: string;
  value: Triple;
  error: string | undefined;
  allowDecimal: boolean;
  /** the first number is also used for the other two while they are empty */
  fillsOthers?: boolean;
  onChange: (value: Triple) => void;
  onLeave: () => void;
}

function TripleInput({
  label,
  what,
  unit,
  value,
  error,
  allowDecimal,
  fillsOthers,
  onChange,
  onLeave,
}: TripleInputProps) {
  const leave = () => {
    const [x, y, z] = value;
    if (fillsOthers && x !== '' && y === '' && z === '') onChange([x, x, x]);
    onLeave();
  };
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <SimpleGrid cols={3} spacing="xs">
        {['x', 'y', 'z'].map((axis, index) => (
          <NumberInput
            key={axis}
            aria-label={`${what} along ${axis}${unit ? ` in ${unit}` : ''}`}
            placeholder={axis}
            value={value[index]}
            onChange={(next) => onChange(value.with(index, next === '' ? '' : Number(next)) as Triple)}
            onBlur={leave}
            allowDecimal={allowDecimal}
            decimalScale={9}
            allowNegative={false}
            hideControls
            error={error !== undefined}
            rightSection={unit && <Unit>{unit}</Unit>}
            rightSectionWidth={unit ? 40 : undefined}
            rightSectionPointerEvents="none"
          />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  );
}
