import { completionAttempts, nothingToComplete } from '../../../../core/editor/completion/complete.ts'
import type { Completion, Completions } from '../../../../core/editor/completion/completion.ts'
import { hover } from '../../../../core/editor/hover.ts'
import { inspectInSlices } from '../../../../core/editor/inspection.ts'
import type { Guide } from '../../../../core/editor/schema-walk.ts'
import { checkedPlaybooks } from '../../../../core/playbook/read/callable-playbooks.ts'
import { playbookSchema } from '../../../../core/playbook/language/playbook-schema.ts'
import { SourceText } from '../../../../core/playbook/language/source-text.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'
import { placeFields, spanFields, spanView } from './playbook-view.ts'
import { type Caller } from '../../caller/caller.ts'

/** Called for every typed word; a quarter of the limit for playbooks to save. */
const typedSource = { type: 'string', maxLength: 65_536, description: 'YAML.' } as const

const body = {
  required: ['source', 'line', 'column'],
  properties: {
    source: typedSource,
    ...placeFields,
    organization_code: {
      type: 'string',
      description: 'The organization whose connections count; default: all organizations of the key.',
    },
  },
} as const satisfies JsonSchema

const markdownOrNull = { ...textOrNull, description: 'Markdown.' } as const

const itemSchema = objectSchema({
  label: text,
  kind: { enum: ['key', 'skill', 'playbook', 'value', 'field', 'step', 'name', 'function'] },
  detail: { ...textOrNull, description: 'Shown beside the label.' },
  documentation: markdownOrNull,
  insert: { type: 'string', description: 'The text that replaces `replaces`.' },
  rank: { type: 'integer', minimum: 0, description: 'Lower values come first.' },
})

const itemView = ({ label, kind, detail, documentation, insert, rank }: Completion) => ({
  label,
  kind,
  detail: detail ?? null,
  documentation: documentation ?? null,
  insert: insert ?? label,
  rank: rank ?? 1,
})

/** Answer of `POST playbooks/complete`. */
export const apiCompletionsSchema = objectSchema({
  items: { type: 'array', items: itemSchema },
  replaces: { ...objectSchema(spanFields), description: 'The partial word at the position.' },
})

/** The same function as in `tocsin lsp`. */
const completePlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/complete',
  access: 'playbooks:read',
  summary:
    'Completions at a position of an unfinished playbook: keys, skills, inputs, connections, and parts of expressions.',
  answer: apiCompletionsSchema,
  body,
  async handle({ body: { source: given, line, column, organization_code: code }, caller }, services) {
    const source = new SourceText(given)
    const guide = await guideFor(caller, code, services)
    const offset = source.offset({ line, column })
    let found: Completions | undefined
    for (const attempt of completionAttempts(given, offset, guide))
      if ((found = await services.calculations.slicesInTurn(caller, attempt))) break
    const { items, replaces } = found ?? nothingToComplete(given, offset)
    return { body: { items: items.map(itemView), replaces: spanView(source, replaces) } }
  },
})

/** Answer of `POST playbooks/hover`. */
export const apiHoverSchema = objectSchema({
  text: markdownOrNull,
  about: {
    anyOf: [{ type: 'null' }, objectSchema(spanFields)],
    description: 'The range that the text describes.',
  },
})

/** The same function as in `tocsin lsp`. */
const hoverPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/hover',
  access: 'playbooks:read',
  summary:
    'Help for a position of a playbook: a key, a skill, a called playbook, or a part of an expression with its type.',
  answer: apiHoverSchema,
  body,
  async handle({ body: { source: given, line, column, organization_code: code }, caller }, services) {
    const source = new SourceText(given)
    const guide = await guideFor(caller, code, services)
    const inspection = await services.calculations.slicesInTurn(
      caller,
      inspectInSlices(given, guide.catalogue, guide.playbooks),
    )
    const found = hover(inspection, source.offset({ line, column }), guide)
    return {
      body: found ? { text: found.text, about: spanView(source, found.span) } : { text: null, about: null },
    }
  },
})

async function guideFor(
  { scope }: Caller,
  code: string | undefined,
  { directory, stores, catalogue, playbooks, clock }: Services,
): Promise<Guide> {
  const own =
    code === undefined ? scope : [(await directory.organization(scope, code, '/organization_code')).uuid]
  return {
    schema: playbookSchema,
    catalogue,
    playbooks: checkedPlaybooks(await directory.seen(own, playbooks.authored())),
    connections: await stores.connections.list(own),
    organizations: await stores.organizations.list(own),
    nowMs: clock.now(),
  }
}

export const editorRoutes = [completePlaybook, hoverPlaybook]
