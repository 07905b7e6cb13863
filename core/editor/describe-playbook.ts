import type { Playbook } from '../playbook/language/playbook.ts'
import type { JsonSchema } from '../plugin/index.ts'
import { code } from './completion/complete-expression.ts'
import { escapeMarkdown, listOf } from './describe-skill.ts'
import { typeText } from './type-text.ts'

/** The inputs of a called playbook as a schema. */
export function inputsOf({ inputs }: Playbook): JsonSchema {
  const properties = Array.from(inputs, ([name, { schema, default: preset }]): [string, JsonSchema] => [
    name,
    preset === undefined ? schema : { ...schema, default: preset.value },
  ])
  const required = [...inputs].filter(([, input]) => input.default === undefined).map(([name]) => name)
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

/** The documentation of a callable playbook, as Markdown. */
export function describePlaybook(playbook: Playbook): string {
  const { name, description, outputType } = playbook
  return [
    `playbook \`${name}\``,
    ...(description === '' ? [] : [escapeMarkdown(description)]),
    ...listOf('Inputs', inputsOf(playbook), true),
    `Output:\n\n${code(typeText(outputType))}`,
  ].join('\n\n')
}
