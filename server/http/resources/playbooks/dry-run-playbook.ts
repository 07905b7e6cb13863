import { identifyAlert } from '../../../../core/alert-source/index.ts'
import { knownNames } from '../../../../core/investigation/known-names.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { choiceOf, dryRunChoices } from '../../../../core/dry-run/choices.ts'
import { exploreDryRun } from '../../../../core/dry-run/explore.ts'
import { parseWorld } from '../../../../core/playbook-test/read/parse.ts'
import { correlationFor, startsFor } from '../../../../core/playbook-test/run/rehearse.ts'
import type { GivenAlert } from '../../../../core/playbook-test/read/read-fixtures.ts'
import { resolveInputs } from '../../../../core/playbook/template/inputs.ts'
import { testCases } from '../../../../core/plugin/testing/index.ts'
import type { RunTrigger } from '../../../../core/domain/run.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { compileSchema } from '../../../../core/schema/index.ts'
import { schemaFor } from '../../../../core/trigger/example-trigger.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { requireAlert } from '../alerts/alert-view.ts'
import { dryRunSchema, dryRunView } from './dry-run-view.ts'
import { asRefusal, playbookSource } from './edit-playbook.ts'
import { requirePlaybook } from './playbook-view.ts'
import { type Caller } from '../../caller/caller.ts'

/** Like `tocsin dry-run`, with the connections of an organization. */
export const dryRunPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/dry-run',
  access: 'playbooks:test',
  summary:
    'Dry run of a playbook, for every possible answer: read-only skills make real calls, writes are skipped.',
  answer: dryRunSchema,
  body: {
    required: ['organization_code'],
    properties: {
      organization_code: { type: 'string', description: 'The organization whose connections are used.' },
      source: playbookSource,
      playbook: { type: 'string', description: 'Name or hash of a playbook, instead of `source`.' },
      alert: { type: 'string', description: 'Id or uuid of an alert of the organization.' },
      alert_content: {
        type: 'string',
        description: 'Body of an alert that is not stored, instead of `alert`.',
      },
      alert_type: {
        type: 'string',
        description: 'For `alert_content`; default: from the trigger of the playbook.',
      },
      alert_provider: {
        type: 'string',
        description: 'For `alert_content`; default: from the trigger of the playbook.',
      },
      trigger: {
        type: 'object',
        description:
          'For a playbook that starts for events: the fields of `trigger` that differ from an example.',
      },
      inputs: { type: 'object', description: 'By name; inputs with a default are optional.' },
      answers: {
        type: 'object',
        description:
          'By step id of the checkpoint: the answer, or `timeout`. Without one, every answer is tried.',
      },
    },
  },
  async handle({ body, caller, gone }, services) {
    const { catalogue, clock, log } = services
    const code = body.organization_code
    const organization = await services.directory.current(caller.scope, code, '/organization_code')
    const { playbook, called } = await givenPlaybook(body, organization, caller, services)
    const alert = await givenAlert(body, organization, services)
    if (playbook.alertTrigger !== undefined && alert === undefined && body.trigger === undefined) {
      throw refused('alert_missing', '/alert', `'${playbook.name}' investigates alerts, but none was given`)
    }
    const { world } = parseWorld('{}', playbook, { catalogue, called })
    const { code: ownCode, name } = organization
    const resolved = world!.fixtures({
      nowMs: clock.now(),
      alert,
      trigger: body.trigger,
      inputs: body.inputs ?? {},
      organization: { code: ownCode, name },
    })
    requireTrigger(playbook, body.trigger, resolved.trigger)
    const inputs = within('/inputs', () => resolveInputs(playbook, resolved.inputs))
    const fixtures = { ...resolved, inputs }
    const choices = within('/answers', () => dryRunChoices(playbook, called, body.answers ?? {}, choiceOf))
    const tree = await services.dryRunGate.through(organization.uuid, gone(), async (signal) => {
      // Recorded before the run, because its reads are real.
      await services.stores.audit.record({
        action: 'playbook.dry_run',
        by: caller.actor,
        organizationUuid: organization.uuid,
        subject: { kind: 'playbook', id: playbook.hash, name: playbook.name },
        details: { alert: alert?.id ?? null },
      })
      return await exploreDryRun({
        playbook,
        called,
        catalogue,
        fixtures,
        mocks: new Map(),
        choices,
        live: services.callerOfSkills(testCases(ownCode, playbook.name)),
        connections: services.stores.connections,
        state: services.stores.state,
        organizationUuid: organization.uuid,
        log,
        signal,
      })
    })
    const shown = () => {
      const starts = startsFor(playbook, fixtures)
      return {
        playbook: playbook.name,
        would_not_start: starts === true ? null : starts,
        correlation: correlationFor(playbook, fixtures).keys.map(({ reason }) => reason),
        ...dryRunView(tree, catalogue, playbook, {
          limits: { ...services.engine.destructiveLimits, ...organization.destructiveLimits },
          rules: [...(organization.approvalRules ?? []), ...services.engine.approvalRules],
          playbook: playbook.name,
          severity: fixtures.alert && identifyAlert(fixtures.alert).facts.severity,
        }),
      }
    }
    return { body: await services.calculations.inTurn(caller, shown) }
  },
})

/** Throws ValidationError `trigger_invalid`. */
function requireTrigger(playbook: Playbook, given: unknown, trigger: RunTrigger | undefined): void {
  if (trigger === undefined && given === undefined) return
  if (trigger === undefined)
    throw refused('trigger_invalid', '/trigger', `no event starts '${playbook.name}'`)
  const [problem] = compileSchema(schemaFor(playbook, trigger.kind)).problems(trigger)
  if (problem !== undefined)
    throw refused(
      'trigger_invalid',
      `/trigger${problem.pointer}`,
      `the event does not fit: ${problem.message}`,
    )
}

interface Given {
  readonly source?: string | undefined
  readonly playbook?: string | undefined
  readonly alert?: string | undefined
  readonly alert_content?: string | undefined
  readonly alert_type?: string | undefined
  readonly alert_provider?: string | undefined
}

async function givenPlaybook(
  { source, playbook: nameOrHash }: Given,
  { uuid }: Organization,
  caller: Caller,
  { stores, playbooks, calculations }: Services,
) {
  if ((source === undefined) === (nameOrHash === undefined)) {
    throw refused('value_invalid', '/source', 'either `source` or `playbook` is required')
  }
  const known = await knownNames(stores, [uuid])
  const text = source ?? (await requirePlaybook(stores.playbooks, [uuid], nameOrHash ?? '')).source
  const { playbook, called, problems } = await calculations.slicesInTurn(caller, playbooks.check(text, known))
  if (playbook !== undefined) return { playbook, called }
  return await asRefusal(Promise.reject(new PlaybookError('the playbook', problems)))
}

async function givenAlert(
  { alert: id, alert_content: content, alert_type: type, alert_provider: provider }: Given,
  organization: Organization,
  { stores, directory }: Services,
): Promise<GivenAlert | undefined> {
  if (content === undefined && (type ?? provider) !== undefined) {
    throw refused('value_invalid', '/alert_content', 'is required with `alert_type` and `alert_provider`')
  }
  if (content !== undefined) {
    if (id !== undefined) throw refused('value_invalid', '/alert', 'cannot be combined with `alert_content`')
    const code =
      provider === undefined ? undefined : (await directory.provider(provider, '/alert_provider')).code
    return { body: { content }, type, provider: code }
  }
  if (id === undefined) return undefined
  const stored = await requireAlert({ stores }, [organization.uuid], id)
  const { createdAtSource, uuid, createdAt } = stored
  return {
    id: stored.id,
    uuid,
    createdAt,
    createdAtSource: createdAtSource ?? undefined,
    type: stored.type ?? undefined,
    provider: stored.provider,
    body: { content: stored.content },
  }
}

const refused = (code: string, pointer: string, message: string): ValidationError =>
  new ValidationError(code, message, [{ pointer, message }])
