import { maxPreviewed, previewCorrelation } from '../../../../core/correlation/preview.ts'
import { previewView } from '../../../../core/correlation/preview-view.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { knownNames } from '../../../../core/investigation/known-names.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { type Caller } from '../../caller/caller.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { asRefusal, playbookSource } from '../playbooks/edit-playbook.ts'
import { epochMs, objectSchema, text, textOrNull, time } from '../system/page.ts'

const count = { type: 'integer', minimum: 0 } as const
const counted = { type: 'array', items: objectSchema({ text, count }) } as const
const days = 86_400_000
const defaultSpan = 30 * days

/** Answer of `POST correlations/preview`. */
export const apiCorrelationPreviewSchema = objectSchema({
  alerts: { ...count, description: 'Examined alerts, without repeats.' },
  applicable: { ...count, description: 'Alerts to which a rule applies.' },
  joined: { ...count, description: 'Alerts that would join the case of an earlier alert.' },
  cases_before: { ...count, description: 'Cases of these alerts now.' },
  cases_after: { ...count, description: 'Cases that they would have, if cases stay open.' },
  merges: {
    type: 'array',
    description: 'The 20 largest cases that several alerts would share.',
    items: objectSchema({
      alerts: count,
      cases_before: count,
      first_at: time,
      last_at: time,
      is_full: { type: 'boolean', description: 'The maximum of the rule would be reached.' },
      reasons: counted,
      samples: {
        type: 'array',
        items: objectSchema({
          alert_id: text,
          title: textOrNull,
          alert_type: textOrNull,
          case_id: textOrNull,
        }),
      },
    }),
  },
  skipped: { ...counted, description: 'Values that are too common to relate alerts.' },
  failures: { ...count, description: 'Expressions that could not be evaluated.' },
  warnings: { type: 'array', items: text },
  ended_at: {
    ...time,
    type: ['integer', 'null'],
    description: `There are more than ${maxPreviewed.toLocaleString('en')} alerts: those from this time on were not examined.`,
  },
})

export const previewCorrelations = defineRoute({
  method: 'POST',
  path: '/correlations/preview',
  access: 'playbooks:test',
  summary: 'Previews the correlation rules on past alerts. Changes nothing.',
  answer: apiCorrelationPreviewSchema,
  body: {
    required: ['organization_code'],
    properties: {
      organization_code: { type: 'string', description: 'The organization whose alerts are read.' },
      source: {
        ...playbookSource,
        description:
          'YAML of a playbook with `on.alert.correlate`; it replaces the live playbook of its name. Default: only live playbooks.',
      },
      created_after: {
        ...epochMs,
        description: 'Alerts from this time on (epoch milliseconds). Default: 30 days ago.',
      },
    },
  },
  async handle({ body, caller, gone }, services) {
    const { stores, directory, dryRunGate, clock, playbooks: library } = services
    const organization = await directory.current(caller.scope, body.organization_code, '/organization_code')
    const draft =
      body.source === undefined ? undefined : await draftOf(body.source, organization.uuid, caller, services)
    const live = library.authored().filter(({ name }) => name !== draft?.name)
    const outcome = await dryRunGate.through(organization.uuid, gone(), (signal) =>
      previewCorrelation(stores.alerts, {
        since: body.created_after ?? clock.now() - defaultSpan,
        organization,
        playbooks: draft ? [...live, draft] : live,
        signal,
      }),
    )
    return { body: previewView(outcome) }
  },
})

async function draftOf(
  source: string,
  organizationUuid: string,
  caller: Caller,
  { stores, playbooks, calculations }: Services,
): Promise<Playbook> {
  const known = await knownNames(stores, [organizationUuid])
  const check = playbooks.check(source, known)
  const { playbook, problems } = await calculations.slicesInTurn(caller, check)
  return playbook ?? (await asRefusal(Promise.reject(new PlaybookError('the playbook', problems))))
}
