import { inputsOf } from '../../../../core/editor/describe-playbook.ts'
import { defineRoute } from '../../routing/route.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'

/** A playbook that people may start. */
export const apiManualPlaybookSchema = objectSchema({
  name: text,
  description: text,
  organization_code: {
    ...textOrNull,
    description: 'The organization that it belongs to; null: all organizations share it.',
  },
  inputs: { type: 'object', description: 'JSON Schema of its inputs.' },
})

export const listManualPlaybooks = defineRoute({
  method: 'GET',
  path: '/manual-playbooks',
  access: 'runs:write',
  summary: 'The live playbooks that people may start, by name, with the JSON Schema of their inputs.',
  answer: objectSchema({ data: { type: 'array', items: apiManualPlaybookSchema } }),
  async handle({ caller }, { playbooks, directory }) {
    const data = (await directory.seen(caller.scope, playbooks.authored()))
      .filter(({ startedBy, shadow }) => startedBy.hand && shadow === undefined)
      .map((playbook) => ({
        name: playbook.name,
        description: playbook.description,
        organization_code: playbook.organization ?? null,
        inputs: inputsOf(playbook),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { body: { data } }
  },
})
