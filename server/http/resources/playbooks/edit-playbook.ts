import { inputsOf } from '../../../../core/editor/describe-playbook.ts'
import { knownNames } from '../../../../core/investigation/known-names.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import type { SourceProblem } from '../../../../core/errors/source-frame.ts'
import type { PublishScope } from '../../../../core/publishing/playbook-owner.ts'
import { ifMatchMissing, tagsIn, unlessChanged } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Directory } from '../../caller/directory.ts'
import { objectSchema, text } from '../system/page.ts'
import {
  spanFields,
  apiTriggersSchema,
  onView,
  playbookFields,
  playbookTag,
  playbookView,
  requirePlaybook,
} from './playbook-view.ts'
import type { StoredPlaybook } from '../../../../core/ports/playbook-store.ts'
import { apiGraphSchema, graphView } from './playbook-graph.ts'

export const playbookSource = { type: 'string', maxLength: 1_000_000, description: 'YAML.' } as const

export const missingSchema = {
  type: 'object',
  description: 'What would fix the problem if it were created.',
  additionalProperties: false,
  required: ['kind'],
  properties: {
    kind: { enum: ['connection', 'provider', 'organization'] },
    name: { type: 'string', description: 'Its name or code, if the playbook names it.' },
    plugins: { type: 'array', items: text, description: 'Plugins whose connections fit.' },
  },
} as const

export const problemsSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['code', 'severity', 'message', 'line', 'column', 'end_line', 'end_column'],
    properties: {
      code: { type: 'string', description: 'See docs/problems.md.' },
      severity: { enum: ['error', 'warning'] },
      message: text,
      hint: text,
      missing: missingSchema,
      ...spanFields,
    },
  },
} as const

export function problemView({
  code,
  severity,
  message,
  hint,
  line,
  column,
  endLine,
  endColumn,
  missing,
}: SourceProblem) {
  const words = { code, severity, message, ...(hint === undefined ? {} : { hint }) }
  return {
    ...words,
    ...(missing === undefined ? {} : { missing }),
    line,
    column,
    end_line: endLine,
    end_column: endColumn,
  }
}

export const publicationReason = {
  type: 'string',
  maxLength: 1_000,
  ...patterns.text,
  description: 'Why, for the list of versions and the audit log.',
} as const

/** Answer of `POST playbooks/validate`. */
export const apiValidationSchema = objectSchema({
  name: { type: ['string', 'null'], description: 'null: the playbook has errors.' },
  problems: problemsSchema,
  on: {
    anyOf: [{ type: 'null' }, apiTriggersSchema],
    description: 'The triggers; null: the playbook has errors.',
  },
  inputs: {
    type: ['object', 'null'],
    description: 'JSON Schema of the inputs; null: the playbook has errors.',
  },
  graph: { anyOf: [{ type: 'null' }, apiGraphSchema], description: 'null: the playbook has errors.' },
})

/** The same checks as `tocsin validate`. */
export const validatePlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/validate',
  access: 'playbooks:read',
  summary: 'Validates a playbook together with the live ones, and draws it; stores nothing.',
  answer: apiValidationSchema,
  body: {
    required: ['source'],
    properties: { source: playbookSource },
  },
  async handle({ body, caller }, { stores, playbooks, calculations, clock }) {
    const known = await knownNames(stores, caller.scope)
    const check = playbooks.check(body.source, known)
    const { playbook, problems } = await calculations.slicesInTurn(caller, check)
    const draw = () => (playbook === undefined ? null : graphView(playbook))
    return {
      body: {
        name: playbook?.name ?? null,
        problems: problems.map(problemView),
        on: playbook === undefined ? null : onView(playbook, clock.now()),
        inputs: playbook === undefined ? null : inputsOf(playbook),
        graph: await calculations.inTurn(caller, draw),
      },
    }
  },
})

/** Answer of the routes that publish. */
export const publishedSchema = objectSchema({ ...playbookFields, source: text, problems: problemsSchema })

export const putPlaybook = defineRoute({
  method: 'PUT',
  path: '/playbooks/{playbook}',
  access: 'playbooks:write',
  summary:
    'Saves a valid playbook to the playbooks folder and publishes it. Without access to all organizations: only a playbook of one of yours.',
  answer: publishedSchema,
  headers: {
    type: 'object',
    properties: {
      'if-match': {
        type: 'string',
        maxLength: 200,
        ...patterns.ifMatch,
        description:
          'The `ETag` of the playbook that you edited; `*`: any version. Omit it for a new playbook.',
      },
    },
  },
  body: {
    required: ['source'],
    properties: { source: playbookSource, reason: publicationReason },
  },
  async handle({ params: { playbook: name }, body, headers, caller }, services) {
    const { playbooks, stores, scheduler, directory } = services
    const newest = await publishedFor(caller, name, services)
    const seen = seenHash(headers['if-match'], newest)
    if (seen === undefined && newest !== undefined) throw ifMatchMissing()
    if (seen === '*' && newest === undefined) throw nothingToChange(name)
    const publication = { reason: body.reason }
    const change = { name, source: body.source, seen: seen ?? null, publication }
    const scope = await publishScope(caller, directory)
    const [accepted] = await unlessChanged(() => asRefusal(playbooks.apply([change], caller.actor, scope)))
    const { playbook, problems } = accepted!
    await scheduler.takeOver()
    const kept = await requirePlaybook(stores.playbooks, caller.scope, playbook.name)
    return await publishedAnswer(kept, problems, services)
  },
})

/** The published playbook with its warnings. */
export const publishedAnswer = async (
  kept: StoredPlaybook,
  problems: readonly SourceProblem[],
  services: Services,
) => ({
  body: { ...(await playbookView(kept, services)), source: kept.source, problems: problems.map(problemView) },
  headers: playbookTag(kept),
})
/** The hash of the playbook that is live or runs in shadow, if the caller sees it. */
async function publishedFor(
  { scope }: Caller,
  name: string,
  { playbooks, stores }: Services,
): Promise<string | undefined> {
  const hash = playbooks.published(name)
  const isSeen =
    scope === 'all' || (hash !== undefined && (await stores.playbooks.findByHash(scope, hash)) !== undefined)
  return isSeen ? hash : undefined
}

/** The organizations whose playbooks the caller may publish. */
export const publishScope = async ({ scope }: Caller, directory: Directory): Promise<PublishScope> =>
  scope === 'all' ? scope : await Promise.all(scope.map((uuid) => directory.organizationCode(uuid)))

/** RFC 9110, section 13.1.1: `*` matches only if something exists. */
const nothingToChange = (name: string) =>
  new RequestError('precondition_failed', `There is no live playbook '${name}' to change.`, {
    hint: 'correct the name, or omit If-Match to create a playbook',
  })

/** Matches nothing: a foreign tag. */
const noHash = 'none'

/** Of several tags, the one of the live version, if it is among them. */
function seenHash(ifMatch: string | undefined, newest: string | undefined): string | undefined {
  if (ifMatch === undefined) return undefined
  const tags = tagsIn(ifMatch)
  return tags === '*' ? tags : (tags.find((tag) => tag === newest) ?? noHash)
}

/** Reports each error of a playbook with its line. */
export async function asRefusal<T>(edited: Promise<T>): Promise<T> {
  try {
    return await edited
  } catch (error) {
    if (!(error instanceof PlaybookError)) throw error
    const errors = error.problems.filter(({ severity }) => severity === 'error')
    throw new RequestError(
      'playbook_invalid',
      `The playbook has ${errors.length} error${errors.length === 1 ? '' : 's'}.`,
      {
        hint: 'POST playbooks/validate reports each error with its position',
        errors: errors.map(({ code, message, hint, line, column }) => ({
          pointer: '/source',
          message: `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
        })),
      },
    )
  }
}

/** Publishes playbooks that waited for the new name. A failure does not affect the created playbook. */
export async function takeUpRefused({ playbooks, scheduler, log }: Services): Promise<void> {
  try {
    await playbooks.takeUpRefused()
    await scheduler.takeOver()
  } catch (error) {
    log.error({ error }, 'refused playbooks are retried at the next start')
  }
}
