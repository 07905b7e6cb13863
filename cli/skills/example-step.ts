import type { CatalogueSkill } from '../../core/registry/catalogue.ts'

/** The first example of a skill as a step to paste into a playbook; undefined where there is none. */
export function exampleStep({ name, skill }: CatalogueSkill): string | undefined {
  const example = skill.examples[0]
  if (example === undefined) return undefined
  const input = example.input as Input
  const action = skill.asks === true ? checkpoint(name, input) : [`uses: ${name}`, ...withInputs(input)]
  return [`# ${example.title}`, `- id: ${skill.name}`, ...action.map((line) => `  ${line}`)].join('\n')
}

/** The answers stand beside the inputs of a skill that asks; the engine gives the id of the question. */
function checkpoint(name: string, input: Input): string[] {
  const { checkpoint_id: _, answers, form, ...own } = input
  const choices = answers === undefined ? yamlEntry('form', form, '') : yamlEntry('answers', answers, '')
  const lines = [`via: ${name}`, ...withInputs(own), ...choices, 'timeout: 30m']
  return ['checkpoint:', ...lines.map((line) => `  ${line}`)]
}

type Input = Readonly<Record<string, unknown>>

function withInputs(input: Input): string[] {
  const entries = Object.entries(input)
  if (entries.length === 0) return []
  return ['with:', ...entries.flatMap(([key, value]) => yamlEntry(scalar(key), value, '  '))]
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
