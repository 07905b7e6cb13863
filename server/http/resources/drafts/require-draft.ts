import type { PlaybookDraft } from '../../../../core/draft/draft.ts'
import type { Caller } from '../../caller/caller.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'

/** Throws RequestError `draft_not_found`. */
export async function requireDraft(
  name: string,
  { scope }: Caller,
  { stores }: Services,
): Promise<PlaybookDraft> {
  const draft = await stores.drafts.find(scope, name)
  if (draft !== undefined) return draft
  throw new RequestError('draft_not_found', undefined, { hint: 'GET playbook-drafts lists the drafts' })
}
