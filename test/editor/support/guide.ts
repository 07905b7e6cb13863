import type { Guide } from '../../../core/editor/schema-walk.ts'
import { playbookSchema } from '../../../core/playbook/language/playbook-schema.ts'
import { catalogue } from '../../playbook/support.ts'
import { atCursor } from './language-server.ts'

/** The schema of the language, and the skills of the playbook tests. */
export const guide: Guide = { schema: playbookSchema, catalogue }

/** A playbook with two steps before the given ones; `‸` marks the cursor. */
export const playbook = (steps: string, head = ''): string => `apiVersion: tocsin/v1
name: test
on: { alert: { type: test } }
${head}steps:
  - id: intel
    uses: intel_provider.get_enrichment
    with: { kind: ip, value: abc }
  - id: trips
    uses: travel.search_user_travel
    with: { email: a }
${steps}
`

/** The text without its mark, and the offset of the mark. */
export function offsetIn(marked: string): { readonly text: string; readonly offset: number } {
  return { text: atCursor(marked).text, offset: marked.indexOf('‸') }
}
