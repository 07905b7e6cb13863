import { useMemo, useState } from 'react'
import { apiProblem } from '../api/problem.ts'
import {
  changedFieldsText,
  fieldErrors,
  fieldsOf,
  formObject,
  type FormSchema,
  type FormValues,
} from './form-fields.ts'
import { useUnsavedInput } from './form-state.ts'
import { SchemaForm } from './schema-form.tsx'

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

/** The inputs of a playbook as a form. Blank fields are omitted, so that defaults apply. */
export function useInputsForm({ place, schema, initial = nothing, error }: InputsOptions) {
  const fields = useMemo(() => fieldsOf(schema ?? noFields), [schema])
  const textOf = useMemo(
    () => (values: FormValues) => changedFieldsText(fields, values, initial),
    [fields, initial],
  )
  const [values, setValues, forget] = useUnsavedInput<FormValues>({ place, empty: initial, textOf })
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map())
  const refused = fieldErrors(apiProblem(error).errors, '/inputs')
  const errors = wrong.size > 0 ? wrong : refused
  return {
    /** Null: the playbook has no inputs. */
    form:
      fields.length === 0 ? null : (
        <SchemaForm
          fields={fields}
          values={values}
          errors={errors}
          onChange={(after) => {
            setWrong(new Map())
            setValues(after)
          }}
        />
      ),
    /** Number of errors shown at their fields. */
    shownErrors: errors.size,
    forget,
    /** Passes the object on, or shows which fields are not valid JSON. */
    read(use: (inputs: Record<string, unknown>) => void): void {
      const invalid = fields.filter((field) => !isReadable(field, values))
      setWrong(new Map(invalid.map(({ name }) => [name, invalidJson])))
      if (invalid.length === 0) use(formObject(fields, values))
    },
  }
}

const invalidJson = 'Invalid JSON'

function isReadable(field: Parameters<typeof formObject>[0][number], values: FormValues): boolean {
  try {
    formObject([field], values)
    return true
  } catch {
    return false
  }
}
