import type { ValidateFunction } from 'ajv'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from '../plugin/index.ts'
import { createAjv } from './ajv.ts'
import { fromValidators, type CompiledSchema } from './compile.ts'

const suffix = '.schema.json'

/**
 * Reads a folder of schemas (the repository's own `schemas/`), `<name>.schema.json` each. They may use every
 * keyword of draft 2020-12 and refer to one another by `$id`.
 *
 * @returns compiled schemas by name
 * @throws Error for a file that is not JSON or not a schema, naming it
 */
export function loadSchemaFolder(folder: string): ReadonlyMap<string, CompiledSchema> {
  const files = readdirSync(folder).filter((file) => file.endsWith(suffix))
  const schemas = files.toSorted().map((file) => ({ file, schema: readSchema(join(folder, file)) }))
  const first = createAjv({ allErrors: false, strictRequired: false })
  const all = createAjv({ allErrors: true, strictRequired: false })
  for (const { file, schema } of schemas) {
    naming(join(folder, file), () => first.addSchema(schema, file) && all.addSchema(schema, file))
  }
  return new Map(
    schemas.map(({ file, schema }) => {
      const validator = (ajv: typeof first): ValidateFunction =>
        naming(join(folder, file), () => ajv.getSchema(file) as ValidateFunction)
      return [file.slice(0, -suffix.length), fromValidators(schema, validator(first), () => validator(all))]
    }),
  )
}

function readSchema(path: string): JsonSchema {
  return naming(path, () => JSON.parse(readFileSync(path, 'utf8')) as JsonSchema)
}

function naming<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(`${path}: ${(cause as Error).message}`, { cause })
  }
}
