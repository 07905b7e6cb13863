import type { JsonSchema } from '../index.ts'

/** The fields of a connection's settings that are secret. */
export function namesOfSecrets(settings: JsonSchema): readonly string[] {
  const properties = Object.entries(settings.properties ?? {})
  return properties.filter(([, schema]) => schema['x-secret'] === true).map(([name]) => name)
}
