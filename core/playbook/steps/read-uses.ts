import { merged, type Mask } from '../../domain/mask.ts'
import { dyn, membersOf, typeOfSchema, type Program, type Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import { checkFit, checkLiteral } from '../check/check-fit.ts'
import { usedInterface, interfaceSkillNamed, interfaceSkills } from '../../interface/interface-skills.ts'
import { checkInterfaceConnection } from '../check/check-interface.ts'
import { checkSensitive } from '../check/check-sensitive.ts'
import type { ReadContext } from '../scope/context.ts'
import { suggest } from '../language/did-you-mean.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readChoice, readText, type Fields } from '../template/fields.ts'
import { defaultRetry, interruptedChoices, errorsWithoutEffect, skillPattern } from '../language/constants.ts'
import { maskOfSchema, maskOfType } from '../check/mask-of-type.ts'
import type { RetryPolicy, Template, UsesStep } from '../language/playbook.ts'
import { quote, type Problems } from '../language/problem.ts'
import type { ActionResult } from './read-actions.ts'
import { readRetry } from './read-retry.ts'
import { readUndo } from './read-undo.ts'
import type { NameScope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

type UsesPart = Pick<
  UsesStep,
  'action' | 'skill' | 'with' | 'connection' | 'retry' | 'onInterrupted' | 'undo'
>

/** Reads `uses` with `with`, `connection`, `retry`, `on_interrupted` and `undo`. */
export function* readUses(
  context: ReadContext,
  entry: Entry,
  fields: Fields,
  scope: NameScope,
): Sliced<ActionResult<UsesPart> & { readonly output: Type; readonly isRead: boolean }> {
  const name = readSkillName(context, entry)
  const found = name === undefined ? undefined : findSkill(context, name, entry.value)
  let typed: TypedTemplate | undefined
  if (found?.skill.asks === true) {
    const hint = `write checkpoint: { via: ${found.name}, … }`
    context.problems.add(
      'E320',
      `${found.name} asks a person and would not wait for the answer`,
      entry.value,
      hint,
    )
  }
  const schema = found?.skill.input as JsonSchema | undefined
  const given = yield* readWith(context, fields.get('with'), scope, entry.value, schema, {
    taker: found?.name,
    checkMore: (all) => void (typed = all),
  })
  const connection = connectionOf(context, found, fields.get('connection'), entry.value, typed)
  const retry = retryOf(context, fields.get('retry'), found)
  const interrupted = fields.get('on_interrupted')
  const onInterrupted = interrupted && readChoice(context.problems, interrupted, interruptedChoices)
  const undo = readUndo(context, fields.get('undo'), found)
  const output = found ? outputType(found) : dyn
  const isRead = found?.skill.effect === 'read'
  if (name === undefined || given === undefined) return { part: undefined, output, isRead }
  return {
    part: { action: 'uses', skill: name, with: given.template, connection, retry, onInterrupted, undo },
    given: given.mask,
    output,
    isRead,
  }
}

const isSkillName = new RegExp(skillPattern)

/** Reads the skill name and suggests a known one if it is invalid. */
function readSkillName({ problems, catalogue }: ReadContext, entry: Entry): string | undefined {
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'string' && value.value.includes('${{')) {
    const hint = 'name the skill; choose between skills with `switch` or `if`'
    problems.add('E107', '`uses` takes no expression', value, hint)
    return undefined
  }
  const text = readText(problems, entry)
  if (text === undefined || (text.length <= 200 && isSkillName.test(text))) return text
  const known = (catalogue?.usable ?? []).map(({ name }) => name)
  const meant = text
    .slice(0, 200)
    .replace(/@.*$/s, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .replaceAll(/[/:]+/g, '.')
  const near = suggest(meant, known)
  const hint =
    known.find((name) => name === meant || name.endsWith(`.${meant}`)) ??
    (near?.startsWith('did you mean') === true ? near : undefined)
  const shown = hint === undefined || hint === near ? hint : `did you mean '${hint}'?`
  problems.add(
    'E107',
    `${quote(text)} is not the name of a skill`,
    entry.value,
    shown ?? 'write <plugin>.<skill>',
  )
  return undefined
}

export function findSkill(
  { catalogue, problems }: ReadContext,
  name: string,
  span: Span,
): CatalogueSkill | undefined {
  const found = catalogue?.skill(name) ?? interfaceSkillNamed(name)
  if (found) return found
  if (usedInterface(name) !== undefined) {
    const names = interfaceSkills.map((each) => each.name)
    problems.add('E301', `there is no interface ${quote(name)}`, span, suggest(name, names))
    return undefined
  }
  if (catalogue === undefined) return undefined
  const plugin = name.slice(0, name.indexOf('.'))
  const installed = catalogue.plugins.map((each) => each.name)
  const skills = catalogue.usable.map((each) => each.name)
  if (installed.includes(plugin)) {
    const own = skills.filter((each) => each.startsWith(`${plugin}.`))
    problems.add('E301', `the plugin ${quote(plugin)} has no skill ${quote(name)}`, span, suggest(name, own))
  } else {
    const hint = suggest(name, skills)?.startsWith('did') ? suggest(name, skills) : suggest(plugin, installed)
    problems.add('E301', `no plugin ${quote(plugin)} is installed`, span, hint)
  }
  return undefined
}

const outputTypes = new WeakMap<object, Type>()

function outputType({ skill }: CatalogueSkill): Type {
  const schema = skill.output as JsonSchema
  const known = outputTypes.get(schema) ?? typeOfSchema(schema)
  outputTypes.set(schema, known)
  return known
}

export const inputCodes = { unknown: 'E305', missing: 'E306', misfit: 'E307' } as const
export const noInputs: Node = { kind: 'map', entries: [], start: 0, end: 0 }

interface WithOptions {
  /** The receiver of the inputs, for messages. Default `a question`. */
  readonly taker?: string | undefined
  readonly checkMore?: ((given: TypedTemplate) => void) | undefined
}

/** Reads `with`: the inputs of a skill or question, and their sensitive parts. */
export function* readWith(
  context: ReadContext,
  entry: Entry | undefined,
  scope: NameScope,
  uses: Span,
  schema: JsonSchema | undefined,
  { taker = 'a question', checkMore }: WithOptions = {},
): Sliced<{ readonly template: Template; readonly mask: Mask | undefined } | undefined> {
  const { problems } = context
  if (entry && entry.value.kind !== 'map') {
    problems.add(
      'E106',
      `expected a map of inputs for \`with\`, found ${describe(entry.value)}`,
      entry.value,
      entry.value.kind === 'list'
        ? 'leave out the -'
        : 'remove it, or put the inputs below it, indented by two more spaces',
    )
    return undefined
  }
  const given = yield* compileValue(context, scope, entry?.value ?? noInputs)
  const mask = merged(maskOfType(given.type), schema && maskOfSchema(schema))
  const found = { template: given.template, mask }
  if (schema === undefined) return found
  // Missing inputs are reported at the skill.
  checkFit(problems, given, typeOfSchema(schema), '', inputCodes, uses)
  checkSensitive(problems, given, schema, taker)
  checkPaths(problems, given, schema)
  checkMore?.(given)
  if (problems.hasErrorIn(entry?.value ?? uses)) return found
  const definitions = schema.$defs === undefined ? {} : { $defs: schema.$defs }
  for (const { name, value } of given.entries ?? []) {
    const property =
      schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (property) checkLiteral(problems, value, { ...property, ...definitions }, name, 'E307')
  }
  return found
}

/** The connection of a step: its own, or the one of `defaults`. */
export function connectionOf(
  context: ReadContext,
  found: CatalogueSkill | undefined,
  entry: Entry | undefined,
  uses: Span,
  given?: TypedTemplate,
): string | undefined {
  const own = entry && readText(context.problems, entry)
  const preset = found?.skill.connection && context.defaults.connections.get(found.plugin.name)
  const name = own ?? preset
  if (found && usedInterface(found.name) !== undefined)
    checkInterfaceConnection(context, { found, given, named: name, at: entry?.value ?? uses })
  else if (found) checkConnection(context, found, entry, name, uses)
  return name
}

/** Checks the connection against the known ones. */
function checkConnection(
  { connections, known, problems }: ReadContext,
  { plugin, skill }: CatalogueSkill,
  entry: Entry | undefined,
  name: string | undefined,
  uses: Span,
): void {
  const at = entry?.value ?? uses
  if (skill.connection === undefined) {
    if (entry)
      problems.add('E304', `${plugin.name}.${skill.name} takes no connection`, entry.key, 'remove it')
    return
  }
  // A connection of `defaults` has been checked there.
  const all = connections ?? known?.connections
  if (all === undefined || (entry === undefined && name !== undefined)) return
  const own = all.filter((connection) => connection.plugin === plugin.name)
  const names = [...new Set(own.map((connection) => connection.name))]
  if (name !== undefined) {
    if (names.some((each) => each.toLowerCase() === name.toLowerCase())) return
    problems.add(
      'E304',
      `${plugin.name} has no connection ${quote(name)}`,
      at,
      suggest(name, names) ?? 'create it, or correct the name',
      { kind: 'connection', name, plugins: [plugin.name] },
    )
  } else if (connections === undefined) {
    // It depends on the organization.
    return
  } else if (own.length === 0 && skill.connectionIsOptional !== true) {
    const missing = { kind: 'connection', plugins: [plugin.name] } as const
    problems.add('E304', `${plugin.name} has no connection`, at, 'create one', missing)
  } else if (own.length > 1) {
    const hint = `add connection: ${names.join(' | ')}`
    problems.add('E304', `${plugin.name} has several connections`, at, hint)
  }
}

/** The engine retries a write of class `never` only after errors that prove it had no effect. */
function retryOf(
  context: ReadContext,
  entry: Entry | undefined,
  found: CatalogueSkill | undefined,
): RetryPolicy {
  const skill = found?.skill
  const isOnce = skill?.effect === 'write' && skill.repeat === 'never'
  const retry = entry && readRetry(context.problems, entry.value)
  const isProven =
    retry?.on?.every((code) => (errorsWithoutEffect as readonly string[]).includes(code)) === true
  if (retry && retry.max > 0 && isOnce && !isProven) {
    const message = `${found?.name} must not be repeated: it is retried only after errors that prove it had no effect`
    context.problems.add(
      'W404',
      message,
      entry.key,
      'write on: [http_429], which proves that; a person decides after other errors',
    )
  }
  return retry ?? context.defaults.retry ?? defaultRetry
}

/** Types whose text contains no path separators. */
const safeInPaths: readonly Type['kind'][] = ['int', 'double', 'number', 'bool']

/** Warns of values inserted into the text of inputs that their skill marks `x-path`. */
function checkPaths(problems: Problems, given: TypedTemplate, schema: JsonSchema): void {
  const message = 'a value is inserted into the text of a path and could select another resource'
  const hint = "write the path as a list, [devices, '${{ … }}'], or the value as ${{ x.urlEncode() }}"
  for (const { name, value } of given.entries ?? []) {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    if (property?.['x-path'] === true && holdsRawValue(value)) problems.add('W414', message, value, hint)
  }
}

function holdsRawValue({ template }: TypedTemplate): boolean {
  if (template.kind === 'expression') return !isSafe(template.program, ['list', ...safeInPaths])
  return (
    template.kind === 'text' &&
    template.parts.some((part) => typeof part !== 'string' && !isSafe(part, safeInPaths))
  )
}

/** Whether every type that the value may have is one of these, or text from an enumeration. */
function isSafe({ type, urlEncoded }: Program, kinds: readonly Type['kind'][]): boolean {
  return (
    urlEncoded ||
    membersOf(type).every(
      (one) => kinds.includes(one.kind) || (one.kind === 'string' && one.values !== undefined),
    )
  )
}
