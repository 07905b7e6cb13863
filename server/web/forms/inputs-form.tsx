import { SegmentedControl, Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { apiProblem } from '../api/problem.ts'
import {
  changedFieldsText,
  fieldErrors,
  fieldsOf,
  formObject,
  formValues,
  typedJson,
  type FormField,
  type FormSchema,
  type FormValues,
} from './form-fields.ts'
import { useUnsavedInput } from './form-state.ts'
import { JsonTextarea, SchemaForm } from './schema-form.tsx'

const noFields: FormSchema = {}
const nothing: FormValues = {}

interface InputsOptions {
  /** Unique name of the form, for people. */
  readonly place: string
  /** JSON Schema of the inputs; undefined until it is loaded. */
  readonly schema: FormSchema | null | undefined
  /** Values until something is typed. Pass the same object each time. */
  readonly initial?: FormValues
  /** Error of the request; its pointers start with `/inputs`. */
  readonly error: unknown
}

interface TypedInputs {
  readonly values: FormValues
  /** All inputs as JSON, which replaces the form. */
  readonly json?: string
}

/** The inputs of a playbook as a form or as JSON. Blank fields are omitted, so that defaults apply. */
export function useInputsForm({ place, schema, initial = nothing, error }: InputsOptions) {
  const fields = useMemo(() => fieldsOf(schema ?? noFields), [schema])
  const empty = useMemo((): TypedInputs => ({ values: initial }), [initial])
  const textOf = useMemo(
    () =>
      ({ values, json }: TypedInputs) =>
        json ?? changedFieldsText(fields, values, initial),
    [fields, initial],
  )
  const [typed, setTyped, forget] = useUnsavedInput<TypedInputs>({ place, empty, textOf })
  const { values, json } = typed
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map())
  const refused = fieldErrors(apiProblem(error).errors, '/inputs')
  const errors = wrong.size > 0 || json !== undefined ? wrong : refused
  const change = (after: TypedInputs): void => {
    setWrong(new Map())
    setTyped(after)
  }
  /** Passes the object on, or shows what is not valid JSON. */
  function read(use: (inputs: object) => void): void {
    const found = json === undefined ? unreadable(fields, values) : wrongJson(json)
    setWrong(found)
    if (found.size === 0) use(json === undefined ? formObject(fields, values) : (typedJson(json) as object))
  }
  const show = (view: string): void =>
    read((inputs) => {
      if (view === 'json') return change({ values, json: JSON.stringify(inputs, undefined, 2) })
      const shown = formValues(fields, inputs)
      if (shown === undefined) setWrong(new Map([[jsonField, 'Fields of the form cannot hold these inputs']]))
      else change({ values: shown })
    })
  return {
    /** Null: the playbook has no inputs. */
    form:
      fields.length === 0 ? null : (
        <Stack gap="sm">
          {/* JSON would show secrets. */}
          {fields.every(({ kind }) => kind !== 'secret') && (
            <SegmentedControl
              size="xs"
              w="fit-content"
              aria-label="Inputs as"
              data={views}
              value={json === undefined ? 'form' : 'json'}
              onChange={show}
            />
          )}
          {json === undefined ? (
            <SchemaForm
              fields={fields}
              values={values}
              errors={errors}
              onChange={(after) => change({ values: after })}
            />
          ) : (
            <JsonTextarea
              label="Inputs"
              field={{
                value: json,
                onChange: ({ currentTarget }) => change({ values, json: currentTarget.value }),
                error: errors.get(jsonField) ?? false,
              }}
            />
          )}
        </Stack>
      ),
    /** Number of errors shown at their fields. */
    shownErrors: errors.size,
    forget,
    read,
  }
}

const views = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
]

const invalidJson = 'Invalid JSON'
/** Stands for the JSON of all inputs; no input has an empty name. */
const jsonField = ''

/** The fields with invalid JSON. */
const unreadable = (fields: readonly FormField[], values: FormValues): ReadonlyMap<string, string> =>
  new Map(
    fields
      .filter((field) => !isReadable(() => formObject([field], values)))
      .map(({ name }) => [name, invalidJson]),
  )

function wrongJson(json: string): ReadonlyMap<string, string> {
  if (!isReadable(() => typedJson(json))) return new Map([[jsonField, invalidJson]])
  const value = typedJson(json)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map() : new Map([[jsonField, 'Write a JSON object, such as {"name": "value"}']])
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
