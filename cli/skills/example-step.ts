import type { CatalogueSkill } from '../../core/registry/catalogue.ts'

/** The first example of a skill as a step to paste into a playbook; undefined where there is none. */
export function exampleStep({ name, skill }: CatalogueSkill): string | undefined {
  const example = skill.examples[0]
  if (example === undefined) return undefined
  const input = Object.entries(example.input as Readonly<Record<string, unknown>>)
  return [
    `# ${example.title}`,
    `- id: ${skill.name}`,
    `  uses: ${name}`,
    ...(input.length === 0 ? [] : ['  with:']),
    ...input.flatMap(([key, value]) => yamlEntry(scalar(key), value, '    ')),
  ].join('\n')
}

/** Small values in flow style (JSON is YAML), maps and long lists over several lines. */
function yamlEntry(key: string, value: unknown, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${key}: ${scalar(value)}`]
  const flow = JSON.stringify(value)
  if (Array.isArray(value) || flow.length < 60) return [`${indent}${key}: ${escapeTemplates(flow)}`]
  const entries = Object.entries(value)
  return [
    `${indent}${key}:`,
    ...entries.flatMap(([name, inner]) => yamlEntry(scalar(name), inner, `${indent}  `)),
  ]
}

/** Plain where no YAML reader could take it for something else. */
function scalar(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z][\w./@-]*( [\w.,/@-]+)*$/.test(value) && !reserved.test(value)) {
    return value
  }
  return escapeTemplates(JSON.stringify(value))
}

const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i

/** In a playbook `${{` begins an expression; `$${{` is the text. */
function escapeTemplates(text: string): string {
  return text.replaceAll('${{', () => '$${{')
}
