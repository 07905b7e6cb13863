import { inputsOf } from '../../../../core/editor/describe-playbook.ts'
import { knownNames } from '../../../../core/investigation/known-names.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import type { SourceProblem } from '../../../../core/errors/source-frame.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import { ifMatchMissing, tagsIn, unlessChanged } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/whole-scope.ts'
import { objectSchema, text } from '../system/page.ts'
import { spanFields } from './place.ts'
import { graphSchema, graphView } from './playbook-graph.ts'
import {
  onSchema,
  onView,
  playbookFields,
  playbookTag,
  playbookView,
  requirePlaybook,
} from './playbook-view.ts'
import { admins, readers } from '../../caller/caller.ts'

export const playbookSource = { type: 'string', maxLength: 1_000_000, description: 'YAML.' } as const

const problemsSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['code', 'severity', 'message', 'line', 'column', 'end_line', 'end_column'],
    properties: {
      code: { type: 'string', description: 'docs/problems.md tells of each.' },
      severity: { enum: ['error', 'warning'] },
      message: text,
      hint: text,
      ...spanFields,
    },
  },
}

function problemView({ code, severity, message, hint, line, column, endLine, endColumn }: SourceProblem) {
  const words = { code, severity, message, ...(hint === undefined ? {} : { hint }) }
  return { ...words, line, column, end_line: endLine, end_column: endColumn }
}

/** The same checks as `tocsin validate`. */
export const validatePlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/validate',
  access: readers,
  summary: 'Checks a playbook as it would stand beside those in force, and draws it; nothing is kept.',
  status: 200,
  answer: objectSchema({
    name: { type: ['string', 'null'], description: 'null where it has errors.' },
    problems: problemsSchema,
    on: { anyOf: [{ type: 'null' }, onSchema], description: 'What starts it; null where it has errors.' },
    inputs: {
      type: ['object', 'null'],
      description: 'JSON Schema of what it is given by name; null where it has errors.',
    },
    graph: { anyOf: [{ type: 'null' }, graphSchema], description: 'null where it has errors.' },
  }),
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source: playbookSource },
  },
  async handle({ body, caller }, { stores, playbooks, calculations }) {
    const known = await knownNames(stores, caller.scope)
    const check = playbooks.check(body.source, known)
    const { playbook, problems } = await calculations.slicesInTurn(caller, check)
    const draw = () => (playbook === undefined ? null : graphView(playbook))
    return {
      body: {
        name: playbook?.name ?? null,
        problems: problems.map(problemView),
        on: playbook === undefined ? null : onView(playbook),
        inputs: playbook === undefined ? null : inputsOf(playbook),
        graph: await calculations.inTurn(caller, draw),
      },
    }
  },
})

export const putPlaybook = defineRoute({
  method: 'PUT',
  path: '/playbooks/{playbook}',
  access: admins,
  summary:
    'Writes a playbook to the playbooks folder and puts it in force, where it has no errors. The API key must not be limited to organizations.',
  status: 200,
  answer: objectSchema({ ...playbookFields, source: text, problems: problemsSchema }),
  headers: {
    type: 'object',
    properties: {
      'if-match': {
        type: 'string',
        maxLength: 200,
        ...patterns.ifMatch,
        description:
          'The `ETag` of the playbook as it was seen; `*`: whatever it is now. Left out for a new one.',
      },
    },
  },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source: playbookSource },
  },
  async handle({ params: { playbook: name }, body, headers, caller }, services) {
    requireWholeScope(caller)
    const { playbooks, stores, scheduler } = services
    const newest = playbooks.newest(name)
    const seen = seenHash(headers['if-match'], newest)
    if (seen === undefined && newest !== undefined) throw ifMatchMissing()
    if (seen === '*' && newest === undefined) throw nothingToChange(name)
    const { playbook, problems } = await unlessChanged(() =>
      asRefusal(playbooks.edit(name, body.source, seen, caller.actor)),
    )
    await scheduler.takeOver()
    const kept = await requirePlaybook(stores.playbooks, caller.scope, playbook.name)
    return {
      body: {
        ...(await playbookView(kept, services)),
        source: kept.source,
        problems: problems.map(problemView),
      },
      headers: playbookTag(kept),
    }
  },
})

/** RFC 9110, section 13.1.1: `*` is false where there is nothing. */
const nothingToChange = (name: string) =>
  new RequestError('precondition_failed', `No playbook '${name}' is in force that could be changed.`, {
    hint: 'correct the name; or leave If-Match out, which makes a new one',
  })

/** None has it: a tag that is none of ours. */
const noHash = 'none'

/** Of several the one that is in force, if it is among them. */
function seenHash(ifMatch: string | undefined, newest: string | undefined): string | undefined {
  if (ifMatch === undefined) return undefined
  const tags = tagsIn(ifMatch)
  return tags === '*' ? tags : (tags.find((tag) => tag === newest) ?? noHash)
}

/** A playbook with errors is refused with each at its line. */
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
        hint: 'POST playbooks/validate tells each with its place',
        errors: errors.map(({ code, message, hint, line, column }) => ({
          pointer: '/source',
          message: `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
        })),
      },
    )
  }
}

/** After a name is new: playbooks that wait for it come into force. What is new is there, whatever becomes of them. */
export async function takeUpRefused({ playbooks, scheduler, log }: Services): Promise<void> {
  try {
    await playbooks.takeUpRefused()
    await scheduler.takeOver()
  } catch (error) {
    log.error({ error }, 'refused playbooks are looked at again at the next start')
  }
}
