import type { PointedMessage } from '../errors/errors.ts'
import {
  destructiveClasses,
  type AnySkill,
  type ConnectionDefinition,
  type JsonSchema,
  type PluginDefinition,
} from '../plugin/index.ts'
import { nearest } from '../schema/index.ts'
import { checkAsking } from './check-asking.ts'
import { checkEnriching } from './check-enriching.ts'
import { checkInbound } from './check-inbound.ts'
import { checkExamples, checkSchema } from './check-schemas.ts'

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/**
 * Everything that is wrong with a plugin's declaration: the contract that its tests hold it to. Works on whatever a module may
 * have exported: types are forgotten at run time.
 */
export function checkPlugin(plugin: unknown, folder: string | undefined): readonly PointedMessage[] {
  return [...checkUsable(plugin, folder), ...enrichingProblems(plugin)]
}

/** Only where the declaration is sound enough to be read. */
function enrichingProblems(plugin: unknown): readonly PointedMessage[] {
  const skills: unknown = isRecord(plugin) ? plugin['skills'] : undefined
  return (Array.isArray(skills) ? skills : []).flatMap((skill: unknown, index) => {
    if (!isRecord(skill) || !isRecord(skill['input']) || !isRecord(skill['output'])) return []
    if (!isKindList(skill['enriches'])) return []
    const at = pointerOf(skill['name'], index)
    return checkEnriching(skill as unknown as AnySkill).map(({ pointer, message }) => ({
      pointer: at + pointer,
      message,
    }))
  })
}

/**
 * What keeps a plugin from being used; empty when it can be. An enriching skill that generated investigations cannot call is left
 * out of them, and can be used all the same.
 *
 * @param folder Name of the plugin's folder; undefined for a plugin from a package, whose name is free.
 * @param isTried Its tests have compiled its schemas and tried its examples, which takes longer than all the rest. Default false.
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
  if (connection !== undefined) checkConnection(connection, isTried, problems)
  checkSkills(plugin['skills'], connection, isTried, problems)
  return problems
}

function checkName(name: unknown, folder: string | undefined, problems: PointedMessage[]): void {
  if (typeof name !== 'string' || !snakeCase.test(name)) {
    problems.push({
      pointer: '/name',
      message: 'must be snake_case: lower-case letters, digits and single underscores',
    })
  } else if (folder !== undefined && name !== folder.replaceAll('-', '_')) {
    problems.push({
      pointer: '/name',
      message: `'${name}' must agree with its folder '${folder}': call it '${folder.replaceAll('-', '_')}'`,
    })
  }
}

function checkConnection(connection: unknown, isTried: boolean, problems: PointedMessage[]): void {
  if (!isRecord(connection)) {
    problems.push({ pointer: '/connection', message: 'must be what defineConnection gave' })
    return
  }
  checkTexts(connection, ['title', 'description'], '/connection', problems)
  checkDocs(connection['docs'], '/connection', problems)
  const { setup } = connection
  if (setup !== undefined && !(Array.isArray(setup) && setup.every((step) => typeof step === 'string')))
    problems.push({ pointer: '/connection/setup', message: 'must be a list of texts, one for each step' })
  for (const name of ['baseUrl', 'authenticate']) {
    if (typeof connection[name] !== 'function') {
      problems.push({ pointer: `/connection/${name}`, message: 'must be a function' })
    }
  }
  checkInbound(connection, problems)
  if (checkSchema(connection['settings'], '/connection/settings', isTried, problems)) {
    checkSettings((connection as unknown as ConnectionDefinition).settings, problems)
  }
}

function checkSettings(settings: JsonSchema, problems: PointedMessage[]): void {
  const pointer = '/connection/settings'
  if (settings.type !== 'object') problems.push({ pointer: `${pointer}/type`, message: "must be 'object'" })
  if (settings.additionalProperties !== false) {
    problems.push({
      pointer: `${pointer}/additionalProperties`,
      message: 'must be false, so that a misspelt setting is refused',
    })
  }
  for (const [name, schema] of Object.entries(settings.properties ?? {})) {
    if (schema['x-secret'] === true && schema.type !== 'string') {
      problems.push({
        pointer: `${pointer}/properties/${name}/type`,
        message: "must be 'string', since it is a secret",
      })
    } else if (schema['x-secret'] !== true && hasSecret(schema)) {
      problems.push({
        pointer: `${pointer}/properties/${name}`,
        message: 'x-secret works on top-level settings only',
      })
    }
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
    if (!isRecord(skill)) problems.push({ pointer, message: 'must be what defineSkill gave' })
    else checkSkill(skill, pointer, connection, isTried, problems)
    if (names.has(name))
      problems.push({ pointer: `${pointer}/name`, message: `'${String(name)}' is there twice` })
    names.add(name)
  }
  checkFollowing(skills, problems)
}

/** A skill is followed with one of its own plugin that reads. */
function checkFollowing(skills: readonly unknown[], problems: PointedMessage[]): void {
  const all = skills.filter(isRecord)
  for (const [index, { name, destructive, followWith }] of all.entries()) {
    if (followWith === undefined) continue
    const reads = all.some((each) => each['name'] === followWith && each['effect'] === 'read')
    if (destructive !== undefined && reads) continue
    const message =
      destructive === undefined
        ? 'is for destructive skills'
        : 'must be the name of a skill of the plugin that reads'
    problems.push({ pointer: `${pointerOf(name, index)}/followWith`, message })
  }
}

const pointerOf = (name: unknown, index: number): string =>
  `/skills/${typeof name === 'string' && snakeCase.test(name) ? name : index}`

const isKindList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((kind) => typeof kind === 'string')

function checkSkill(
  skill: Readonly<Record<string, unknown>>,
  pointer: string,
  connection: unknown,
  isTried: boolean,
  problems: PointedMessage[],
): void {
  if (typeof skill['name'] !== 'string' || !snakeCase.test(skill['name'])) {
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
      message: 'needs a connection that could be named',
    })
  }
  if (skill['enriches'] !== undefined && !isKindList(skill['enriches']))
    problems.push({ pointer: `${pointer}/enriches`, message: 'must be a list of kinds of observable' })
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
        message: 'must hold no x-secret; secrets are connection settings',
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
    problems.push({ pointer: `${pointer}/repeat`, message: 'is for writes; a read may always be repeated' })
  }
  checkDestructive(skill, pointer, problems)
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
    if (effect !== 'write') problems.push({ pointer: `${pointer}/destructive`, message: 'is for writes' })
    else if (!destructiveClasses.some((one) => one === destructive))
      problems.push({
        pointer: `${pointer}/destructive`,
        message: `must name what the skill does: ${destructiveClasses.map((one) => `'${one}'`).join(', ')}`,
      })
  }
  if (changedNothing === undefined) return
  const message = destructive === undefined ? 'is for destructive skills' : 'must be a function of the output'
  if (destructive === undefined || typeof changedNothing !== 'function')
    problems.push({ pointer: `${pointer}/changedNothing`, message })
}

function checkTexts(
  holder: Readonly<Record<string, unknown>>,
  names: readonly string[],
  pointer: string,
  problems: PointedMessage[],
): void {
  for (const name of names) {
    const value = holder[name]
    if (typeof value !== 'string' || value.trim() === '') {
      const misspelt = value === undefined ? nearest(name, Object.keys(holder)) : undefined
      const meant = misspelt === undefined ? '' : `; did you mean '${name}' where '${misspelt}' stands?`
      problems.push({ pointer: `${pointer}/${name}`, message: `must be a text that is not empty${meant}` })
    }
  }
}

function checkDocs(docs: unknown, pointer: string, problems: PointedMessage[]): void {
  if (
    docs !== undefined &&
    !(typeof docs === 'string' && docs.startsWith('https://') && URL.canParse(docs))
  ) {
    problems.push({ pointer: `${pointer}/docs`, message: 'must be an https address' })
  }
}

function hasSecret(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) =>
    key === 'x-secret' ? value === true : hasSecret(value),
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
