import type { PointedMessage } from '../errors/errors.ts'
import { destructiveClasses, type AnySkill, type JsonSchema, type PluginDefinition } from '../plugin/index.ts'
import { interfacePlugin } from '../interface/interface-skills.ts'
import { checkEnriching, checkAsking } from './check-enriching.ts'
import { checkImplementation, checkRivals } from './check-implementing.ts'
import { checkConnectionDeclaration } from './check-connection.ts'
import { checkRelated, checkReversal, isSnakeCase, pointerOf } from './check-related.ts'
import { checkDocs, checkExamples, checkSchema, checkTexts, hasSecret, isRecord } from './check-schemas.ts'

/**
 * All problems of a plugin's declaration, as its own tests check it. Accepts any exported value, because
 * types do not exist at run time.
 */
export function checkPlugin(plugin: unknown, folder: string | undefined): readonly PointedMessage[] {
  return [...checkUsable(plugin, folder), ...enrichingProblems(plugin)]
}

/** Only if the declaration is valid enough to be read. */
function enrichingProblems(plugin: unknown): readonly PointedMessage[] {
  const skills: unknown = isRecord(plugin) ? plugin['skills'] : undefined
  return (Array.isArray(skills) ? skills : []).flatMap((skill: unknown, index) => {
    if (!isRecord(skill) || !isRecord(skill['input']) || !isRecord(skill['output'])) return []
    if (!isTextList(skill['enriches'])) return []
    const at = pointerOf(skill['name'], index)
    return checkEnriching(skill as unknown as AnySkill).map(({ pointer, message }) => ({
      pointer: at + pointer,
      message,
    }))
  })
}

/**
 * The problems that prevent using a plugin; empty if there are none. An enriching skill that generated
 * investigations cannot call is only left out of them; playbooks can still use it.
 *
 * @param folder Name of the plugin's folder; undefined for a plugin from a package, whose name is free.
 * @param isTried Whether its own tests already compiled its schemas and checked its examples, which is the
 * slowest part. Default false.
 */
export function checkUsable(
  plugin: unknown,
  folder: string | undefined,
  isTried = false,
): readonly PointedMessage[] {
  if (!isRecord(plugin))
    return [{ pointer: '', message: 'must export a plugin as default: export default definePlugin({…})' }]
  const problems: PointedMessage[] = []
  checkName(plugin['name'], folder, problems)
  checkTexts(plugin, ['title', 'description'], '', problems)
  const { connection } = plugin as unknown as PluginDefinition
  if (connection !== undefined) checkConnectionDeclaration(connection, isTried, problems)
  checkSkills(plugin['skills'], connection, isTried, problems)
  return problems
}

function checkName(name: unknown, folder: string | undefined, problems: PointedMessage[]): void {
  if (!isSnakeCase(name)) {
    problems.push({
      pointer: '/name',
      message: 'must be snake_case: lower-case letters, digits and single underscores',
    })
  } else if (name === interfacePlugin) {
    problems.push({ pointer: '/name', message: `'${name}' is reserved: choose another name` })
  } else if (folder !== undefined && name !== folder.replaceAll('-', '_')) {
    problems.push({
      pointer: '/name',
      message: `'${name}' must match its folder '${folder}': call it '${folder.replaceAll('-', '_')}'`,
    })
  }
}

function checkSkills(
  skills: unknown,
  connection: unknown,
  isTried: boolean,
  problems: PointedMessage[],
): void {
  if (!Array.isArray(skills) || skills.length === 0) {
    problems.push({ pointer: '/skills', message: 'must be a list of at least one skill' })
    return
  }
  const names = new Set<unknown>()
  for (const [index, skill] of skills.entries()) {
    const name: unknown = isRecord(skill) ? skill['name'] : undefined
    const pointer = pointerOf(name, index)
    if (!isRecord(skill)) problems.push({ pointer, message: 'must be a result of defineSkill' })
    else checkSkill(skill, pointer, connection, isTried, problems)
    if (names.has(name))
      problems.push({ pointer: `${pointer}/name`, message: `'${String(name)}' is declared twice` })
    names.add(name)
  }
  checkRelated(skills, problems)
  checkImplementing(skills, problems)
}

function checkImplementing(skills: readonly unknown[], problems: PointedMessage[]): void {
  const before = problems.length
  for (const [index, skill] of skills.filter(isRecord).entries()) {
    const { implements: all = {}, name } = skill
    const pointer = `${pointerOf(name, index)}/implements`
    if (!isRecord(all)) problems.push({ pointer, message: 'must be an object, by interface' })
    for (const [each, implementation] of isRecord(all) ? Object.entries(all) : []) {
      const wrong = checkImplementation(each, implementation, skill as unknown as AnySkill)
      problems.push(
        ...wrong.map((one) => ({ pointer: `${pointer}/${each}${one.pointer}`, message: one.message })),
      )
    }
  }
  if (problems.length === before) checkRivals(skills.filter(isRecord) as unknown as AnySkill[], problems)
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

function checkSkill(
  skill: Readonly<Record<string, unknown>>,
  pointer: string,
  connection: unknown,
  isTried: boolean,
  problems: PointedMessage[],
): void {
  if (!isSnakeCase(skill['name'])) {
    problems.push({ pointer: `${pointer}/name`, message: 'must be snake_case: verb_noun' })
  }
  checkTexts(skill, ['title', 'description'], pointer, problems)
  checkDocs(skill['docs'], pointer, problems)
  checkEffect(skill, pointer, problems)
  if (typeof skill['run'] !== 'function')
    problems.push({ pointer: `${pointer}/run`, message: 'must be a function' })
  if (skill['connection'] !== undefined && skill['connection'] !== connection) {
    problems.push({ pointer: `${pointer}/connection`, message: "must be the plugin's connection" })
  }
  if (skill['connectionIsOptional'] === true && skill['connection'] === undefined) {
    problems.push({
      pointer: `${pointer}/connectionIsOptional`,
      message: 'needs a connection',
    })
  }
  if (skill['enriches'] !== undefined && !isTextList(skill['enriches']))
    problems.push({ pointer: `${pointer}/enriches`, message: 'must be a list of kinds of observable' })
  if (skill['permissions'] !== undefined && !isTextList(skill['permissions']))
    problems.push({ pointer: `${pointer}/permissions`, message: 'must be a list of texts' })
  const input = checkSchema(skill['input'], `${pointer}/input`, isTried, problems)
  const output = checkSchema(skill['output'], `${pointer}/output`, isTried, problems)
  if (!input || !output) return
  const checked = skill as unknown as AnySkill
  for (const side of ['input', 'output'] as const) {
    const schema = checked[side] as JsonSchema
    if (schema.type !== 'object')
      problems.push({ pointer: `${pointer}/${side}/type`, message: "must be 'object'" })
    if (hasSecret(schema)) {
      problems.push({
        pointer: `${pointer}/${side}`,
        message: 'must not contain x-secret; secrets are connection settings',
      })
    }
  }
  checkAsking(checked, pointer, problems)
  if (!isTried) checkExamples(checked, pointer, problems)
}

function checkEffect(
  skill: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: PointedMessage[],
): void {
  const { effect, repeat } = skill
  if (effect !== 'read' && effect !== 'write') {
    problems.push({ pointer: `${pointer}/effect`, message: "must be 'read' or 'write'" })
  } else if (effect === 'write' && repeat !== 'safe' && repeat !== 'verify' && repeat !== 'never') {
    problems.push({ pointer: `${pointer}/repeat`, message: "of a write must be 'safe', 'verify' or 'never'" })
  } else if (effect === 'read' && repeat !== undefined) {
    problems.push({
      pointer: `${pointer}/repeat`,
      message: 'is only for writes; a read may always be repeated',
    })
  }
  checkDestructive(skill, pointer, problems)
  checkReversal(skill, pointer, problems)
  if (repeat === 'verify' && typeof skill['verify'] !== 'function') {
    problems.push({ pointer: `${pointer}/verify`, message: "must be a function where repeat is 'verify'" })
  }
}

function checkDestructive(
  { effect, destructive, changedNothing }: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: PointedMessage[],
): void {
  if (destructive !== undefined) {
    if (effect !== 'write')
      problems.push({ pointer: `${pointer}/destructive`, message: 'is only for writes' })
    else if (!destructiveClasses.some((one) => one === destructive))
      problems.push({
        pointer: `${pointer}/destructive`,
        message: `must name what the skill does: ${destructiveClasses.map((one) => `'${one}'`).join(', ')}`,
      })
  }
  if (changedNothing === undefined) return
  const message =
    destructive === undefined ? 'is only for destructive skills' : 'must be a function of the output'
  if (destructive === undefined || typeof changedNothing !== 'function')
    problems.push({ pointer: `${pointer}/changedNothing`, message })
}
