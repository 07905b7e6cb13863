import type { JsonObject } from '../../plugin/index.ts'
import type { PlannedSkill } from './skill.ts'

/** The content of the README of a generated plugin. */
export interface ReadmeContent {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly skills: readonly PlannedSkill[]
  readonly notes: readonly string[]
  readonly fields: Readonly<Record<string, JsonObject>>
}

/** The README of a generated plugin: its skills, its connection, and what its author should check. */
export function writeReadme({ name, title, source, skills, notes, fields }: ReadmeContent): string {
  const rows = skills.map(({ name: skill, title: text, operation }) => {
    const request = `\`${operation.method.toUpperCase()} ${operation.path}\``
    return [`\`${name}.${skill}\``, cell(text), cell(request)]
  })
  const fieldList = Object.entries(fields).map(
    ([field, { title: text }]) => `- \`${field}\`${typeof text === 'string' ? `: ${cell(text)}` : ''}`,
  )
  const todo = [
    ...notes,
    ...skills.flatMap((skill) => skill.notes.map((note) => `\`${skill.name}\`: ${note}`)),
    'The examples are made up from the API description. Replace them by recorded answers, and set `synthetic` to false.',
    ...(skills.some(({ comment }) => comment !== undefined)
      ? ['Check `effect` and `repeat` of each write: they follow from the method alone.']
      : []),
    'Remove outputs that playbooks do not need, and declare `enriches` where a skill looks up an observable.',
  ]
  return [
    `# ${title}`,
    '',
    `Generated from the ${source}.`,
    '',
    '## Skills',
    '',
    ...tableOf(['skill', 'purpose', 'request'], rows),
    '',
    ...(fieldList.length === 0 ? [] : ['## Connection', '', ...fieldList, '']),
    '## To check',
    '',
    ...todo.map((each) => `- [ ] ${each}`),
    '',
  ].join('\n')
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((each, column) => each.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)
