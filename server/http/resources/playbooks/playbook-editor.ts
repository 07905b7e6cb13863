import { completionAttempts, nothingToComplete } from '../../../../core/editor/completion/complete.ts'
import type { Completion, Completions } from '../../../../core/editor/completion/completion.ts'
import { hover } from '../../../../core/editor/hover.ts'
import { inspectInSlices } from '../../../../core/editor/inspection.ts'
import { readPlaybookSchema } from '../../../../core/editor/playbook-schema.ts'
import type { Guide } from '../../../../core/editor/schema-walk.ts'
import { checkedPlaybooks } from '../../../../core/playbook/scope/callable-playbooks.ts'
import { SourceText } from '../../../../core/playbook/language/source-text.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'
import { placeFields, spanFields, spanView } from './place.ts'
import { readers, type Caller } from '../../caller/caller.ts'

/** Asked for with each word that is typed, of playbooks that people write: a quarter of what one may have that is checked and kept. */
const typedSource = { type: 'string', maxLength: 65_536, description: 'YAML.' } as const

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['source', 'line', 'column'],
  properties: {
    source: typedSource,
    ...placeFields,
    organization_code: {
      type: 'string',
      description: 'Whose connections count; left out: those of all organizations of the key.',
    },
  },
} as const satisfies JsonSchema

const markdownOrNull: JsonSchema = { ...textOrNull, description: 'Markdown.' }

const itemSchema = objectSchema({
  label: text,
  kind: { enum: ['key', 'skill', 'playbook', 'value', 'field', 'step', 'name', 'function'] },
  detail: { ...textOrNull, description: 'On one line, beside the label.' },
  documentation: markdownOrNull,
  insert: { type: 'string', description: 'What takes the place of `replaces`.' },
  rank: { type: 'integer', minimum: 0, description: 'Lower ones come first.' },
})

const itemView = ({ label, kind, detail, documentation, insert, rank }: Completion) => ({
  label,
  kind,
  detail: detail ?? null,
  documentation: documentation ?? null,
  insert: insert ?? label,
  rank: rank ?? 1,
})

/** The same function as in `tocsin lsp`. */
const completePlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/complete',
  access: readers,
  summary:
    'What can be written at a place of a playbook that need not be finished: keys, skills, their inputs, connections, and parts of expressions.',
  status: 200,
  answer: objectSchema({
    items: { type: 'array', items: itemSchema },
    replaces: { ...objectSchema(spanFields), description: 'The word that was begun at the place.' },
  }),
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

/** The same function as in `tocsin lsp`. */
const hoverPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/hover',
  access: readers,
  summary:
    'What there is to know about a place of a playbook: a key, a skill, a playbook that is called, or a part of an expression with its type.',
  status: 200,
  answer: objectSchema({
    text: markdownOrNull,
    about: { anyOf: [{ type: 'null' }, objectSchema(spanFields)], description: 'What the text is about.' },
  }),
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
  { directory, stores, catalogue, playbooks }: Services,
): Promise<Guide> {
  const own =
    code === undefined ? scope : [(await directory.organization(scope, code, '/organization_code')).uuid]
  return {
    schema: await languageSchema(),
    catalogue,
    playbooks: checkedPlaybooks(playbooks.written()),
    connections: await stores.connections.list(own),
  }
}

let read: Promise<JsonSchema> | undefined

/** Read when it is first needed. */
const languageSchema = (): Promise<JsonSchema> => (read ??= readPlaybookSchema())

export const editorRoutes = [completePlaybook, hoverPlaybook]
