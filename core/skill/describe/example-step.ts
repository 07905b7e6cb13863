import type { CatalogueSkill } from '../../registry/catalogue.ts'

/** The examples of a skill as steps to paste into a playbook. */
export function exampleSteps({ name, skill }: CatalogueSkill): readonly string[] {
  return skill.examples.map(({ title, input }, index) => {
    const given = input as Input
    const action = skill.asks === true ? checkpoint(name, given) : [`uses: ${name}`, ...withInputs(given)]
    const id = index === 0 ? skill.name : `${skill.name}_${index + 1}`
    return [`# ${title}`, `- id: ${id}`, ...action.map((line) => `  ${line}`)].join('\n')
  })
}

/** A skill that asks has `answers` beside its inputs; the engine sets the id of the question. */
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

/** Unquoted if every YAML parser reads it as a string. */
function scalar(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z][\w./@-]*( [\w.,/@-]+)*$/.test(value) && !reserved.test(value)) {
    return value
  }
  return escapeTemplates(JSON.stringify(value))
}

const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i

/** In a playbook, `${{` begins an expression; `$${{` is plain text. */
function escapeTemplates(text: string): string {
  return text.replaceAll('${{', () => '$${{')
}
