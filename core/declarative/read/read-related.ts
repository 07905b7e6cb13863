import { typeOfSchema } from '../../expression/index.ts'
import { checkFit } from '../../playbook/check/check-fit.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import { quote } from '../../playbook/language/problem.ts'
import { readFields, type Fields } from '../../playbook/template/fields.ts'
import type { Entry, MapNode, Node } from '../../playbook/yaml/document.ts'
import { entryNamed } from '../../playbook/yaml/plain-value.ts'
import type { DeclaredRelated, DeclaredSkill, DeclaredState } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { readCondition, readTemplate, type Names, type PluginReading } from './reading.ts'

const codes = { unknown: 'E805', missing: 'E805', misfit: 'E805' } as const

/** Reads the skills that others name, once all are known. */
export function readRelated(
  reading: PluginReading,
  list: Node,
  skills: readonly DeclaredSkill[],
): readonly DeclaredSkill[] {
  const nodes = list.kind === 'list' ? list.items : []
  return skills.map((skill) => {
    const node = nodes.find((each) => each.kind === 'map' && literalOf(each, 'name') === skill.name)
    if (node?.kind !== 'map') return skill
    const read = (key: string, effect: DeclaredSkill['effect']) => {
      const entry = entryNamed(node, key)
      return entry && readCall(reading, entry, skill, skills, effect)
    }
    return {
      ...skill,
      followWith: read('follow_with', 'read'),
      undoneBy: read('undone_by', 'write'),
      stateBy: readState(reading, entryNamed(node, 'state_by'), skill, skills),
    }
  })
}

const literalOf = (node: MapNode, key: string): unknown => {
  const value = entryNamed(node, key)?.value
  return value?.kind === 'scalar' ? value.value : undefined
}

function readState(
  reading: PluginReading,
  entry: Entry | undefined,
  of: DeclaredSkill,
  skills: readonly DeclaredSkill[],
): DeclaredState | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.state)
  const call = entry && readCall(reading, entry, of, skills, 'read', fields)
  const [held, over] = [fields?.get('contained'), fields?.get('released')]
  const found = skills.find(({ name }) => name === call?.skill)
  if (call === undefined || found === undefined || held === undefined || over === undefined) return undefined
  const names = { ...namesOf(of), state: typeOfSchema(found.output) }
  const contained = readCondition(reading, names, held)
  const released = readCondition(reading, names, over)
  return contained && released && { ...call, contained, released }
}

const namesOf = ({ input, output }: DeclaredSkill): Names => ({
  input: typeOfSchema(input),
  output: typeOfSchema(output),
})

/** @param given the fields, if they were read already */
function readCall(
  reading: PluginReading,
  { name: key, key: head, value }: Entry,
  of: DeclaredSkill,
  skills: readonly DeclaredSkill[],
  effect: DeclaredSkill['effect'],
  given?: Fields,
): DeclaredRelated | undefined {
  const { problems } = reading
  const isShort = value.kind === 'scalar' && key === 'follow_with'
  const fields = isShort ? undefined : (given ?? readFields(problems, value, pluginGrammar.related))
  const nameNode = isShort ? value : fields?.get('skill')?.value
  if (nameNode === undefined) return undefined
  const name = nameNode.kind === 'scalar' ? String(nameNode.value) : ''
  const possible = skills.filter((each) => each.effect === effect)
  const found = possible.find((each) => each.name === name)
  if (found === undefined) {
    const does = effect === 'read' ? 'reads' : 'writes'
    const message = `${quote(name)} is not a skill of this plugin that ${does}`
    problems.add('E806', message, nameNode, () =>
      suggest(
        name,
        possible.map((each) => each.name),
      ),
    )
    return undefined
  }
  const entry = fields?.get('input')
  if (isShort) return { skill: name, input: undefined }
  const needed = (found.input.required ?? []).filter(
    (field) => !Object.hasOwn(found.input.properties?.[field] ?? {}, 'default'),
  )
  if (entry === undefined) {
    const hint = `write input: { ${needed.map((field) => `${field}: "\${{ … }}"`).join(', ')} }`
    if (needed.length > 0) problems.add('E105', `${quote(name)} needs \`input\``, head, hint)
    return { skill: name, input: { kind: 'literal', value: {} } }
  }
  const typed = readTemplate(reading, namesOf(of), entry.value)
  checkFit(problems, typed, typeOfSchema(found.input), '', codes, entry.key)
  return { skill: name, input: typed.template }
}
