import { stringify } from 'yaml'

/** The value as YAML for people: block style, texts quoted only where they must be. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.2', schema: 'core', lineWidth: 110, aliasDuplicateObjects: false })
}
