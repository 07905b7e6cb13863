import type { Organization } from '../../../../core/domain/organization.ts'
import { ConflictError, NotFoundError, ValidationError } from '../../../../core/errors/errors.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { generateTrial } from '../../../../core/investigation/generate-trial.ts'
import { destructiveClasses } from '../../../../core/plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../../../../core/registry/catalogue.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { compileSchema } from '../../../../core/schema/index.ts'
import { scopeOf, type Caller } from '../../caller/caller.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { recallNewRun, runView } from '../runs/run-view.ts'

/** @throws NotFoundError `skill_not_found` */
export function requireSkill(catalogue: Catalogue, name: string): CatalogueSkill {
  const found = catalogue.skill(name)
  if (found !== undefined) return found
  throw new NotFoundError('skill_not_found', `no installed skill is named '${name.slice(0, 200)}'`, {
    hint: 'GET skills lists the installed skills',
  })
}

export const trySkill = defineRoute({
  method: 'POST',
  path: '/skills/{skill}/runs',
  access: 'runs:write',
  summary:
    'Tries a skill: starts a run that calls it once. A skill that writes needs the role `admin`, the name of its connection, and `confirm`.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  body: {
    required: ['organization_code', 'input'],
    properties: {
      organization_code: { type: 'string' },
      connection: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Name of a connection. Default, for skills that read: the only one of the plugin.',
      },
      input: { type: 'object', description: 'Fits the schema `input` of the skill.' },
      confirm: {
        enum: ['write', ...destructiveClasses],
        description: 'For a skill that writes: its class `destructive`, or `write` if it has none.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { catalogue, playbooks, control, directory } = services
    const { organization_code: code, input, confirm } = body
    const found = requireSkill(catalogue, params.skill)
    requireTriable(found)
    const organization = await directory.current(caller.scope, code, '/organization_code')
    requireAllowed(found, caller, organization)
    const connection = await connectionFor(found, organization, body.connection, services)
    requireConfirmation(found, connection, confirm)
    requireFit(found, input)
    const { source, inputs } = generateTrial(found, connection, input)
    const kept = playbooks.keep(source, { origin: 'trial', organizationUuid: organization.uuid })
    const playbook = await kept.catch(refuseInput)
    const run = await control.start({ playbook, organization, inputs, by: caller.actor })
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

/** Throws ConflictError `skill_not_triable`. */
function requireTriable({ name, skill, implementedBy }: CatalogueSkill): void {
  if (implementedBy !== undefined) {
    const hint =
      implementedBy.length === 0
        ? 'install a plugin that implements it'
        : `try one of ${implementedBy.join(', ')}`
    throw new ConflictError('skill_not_triable', `${name} is an interface`, { hint })
  }
  if (skill.asks === true) {
    const message = `${name} asks a person: only checkpoints call it`
    throw new ConflictError('skill_not_triable', message, { hint: 'write a playbook with a checkpoint' })
  }
}

/**
 * Only an administrator may try a skill that writes, as only an administrator may publish a playbook that
 * writes. Throws RequestError `role_insufficient`.
 */
function requireAllowed({ name, skill }: CatalogueSkill, { grants }: Caller, { uuid }: Organization): void {
  const ofAdmin = scopeOf(grants, 'playbooks:write')
  if (skill.effect === 'read' || (ofAdmin !== undefined && isInScope(ofAdmin, uuid))) return
  throw new RequestError('role_insufficient', `${name} writes: only the role admin may try it.`, {
    hint: 'ask an administrator, or start a playbook that calls it',
  })
}

/** The name of the connection; undefined: none. */
async function connectionFor(
  { plugin, skill }: CatalogueSkill,
  { uuid, code }: Organization,
  asked: string | undefined,
  { stores }: Pick<Services, 'stores'>,
): Promise<string | undefined> {
  if (skill.connection === undefined) {
    if (asked === undefined) return undefined
    throw invalid('/connection', `${plugin.name} has no connections`)
  }
  const all = (await stores.connections.list([uuid])).filter((one) => one.plugin === plugin.name)
  if (asked !== undefined) {
    const found = all.find(({ name }) => name.toLowerCase() === asked.toLowerCase())
    if (found !== undefined) return found.name
    throw invalid('/connection', `${code} has no connection of ${plugin.name} with this name`)
  }
  if (skill.connectionIsOptional === true) return undefined
  const [only, another] = all
  if (only === undefined)
    throw invalid('/connection', `${code} has no connection of ${plugin.name}: create one`)
  if (another === undefined && skill.effect === 'read') return only.name
  const names = all.map(({ name }) => name).join(', ')
  throw invalid('/connection', `is required: name one of ${names}`)
}

function requireConfirmation(
  { name, skill }: CatalogueSkill,
  connection: string | undefined,
  confirm: string | undefined,
): void {
  if (skill.effect === 'read') return
  const effect = skill.destructive ?? 'write'
  if (confirm === effect) return
  const over = connection === undefined ? '' : ` over the connection '${connection}'`
  const message = `${name} makes a change (${effect})${over}: confirm it with "${effect}"`
  throw new ValidationError('confirmation_missing', message, [{ pointer: '/confirm', message }])
}

function requireFit({ name, skill }: CatalogueSkill, input: object): void {
  const errors = compileSchema(skill.input)
    .problems(input)
    .map(({ pointer, message }) => ({ pointer: `/input${pointer}`, message }))
  const [first] = errors
  if (first === undefined) return
  const message = `the input does not fit ${name}: ${first.pointer} ${first.message}`
  throw new ValidationError('value_invalid', message, errors)
}

/** Playbooks are checked more strictly than schemas: they refuse inputs that the schema does not list. */
function refuseInput(error: unknown): never {
  if (!(error instanceof PlaybookError)) throw error
  const errors = error.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, hint }) => ({
      pointer: '/input',
      message: hint === undefined ? message : `${message} (${hint})`,
    }))
  throw new ValidationError('value_invalid', `the input cannot be used: ${errors[0]?.message}`, errors)
}

const invalid = (pointer: string, message: string): ValidationError =>
  new ValidationError('value_invalid', message, [{ pointer, message }])
