import { readFile } from 'node:fs/promises'
import type { JsonSchema } from '../plugin/index.ts'

/** `schemas/playbook.schema.json`. */
export async function readPlaybookSchema(): Promise<JsonSchema> {
  const text = await readFile(new URL('../../schemas/playbook.schema.json', import.meta.url), 'utf8')
  return JSON.parse(text) as JsonSchema
}
