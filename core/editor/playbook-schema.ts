import { readFile } from 'node:fs/promises'
import type { JsonSchema } from '../plugin/index.ts'

/** `schemas/playbook.schema.json`. */
export const readPlaybookSchema = (): Promise<JsonSchema> => readSchema('playbook')

/** `schemas/playbook-test.schema.json`. */
export const readTestsSchema = (): Promise<JsonSchema> => readSchema('playbook-test')

async function readSchema(name: string): Promise<JsonSchema> {
  const text = await readFile(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')
  return JSON.parse(text) as JsonSchema
}
