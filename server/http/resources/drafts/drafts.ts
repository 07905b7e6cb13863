import {
  organizationIn,
  type PlaybookDraft,
  type ListedDraft,
  type SeenDraft,
} from '../../../../core/draft/draft.ts'
import { publishDraft } from '../../../../core/draft/publish-draft.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import {
  isOwn,
  nameTaken,
  requireMayChange,
  requireMayPublish,
} from '../../../../core/publishing/playbook-owner.ts'
import { ConflictError, ValidationError } from '../../../../core/errors/errors.ts'
import { namePattern } from '../../../../core/playbook/language/constants.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'
import type { Caller } from '../../caller/caller.ts'
import { ifMatchHeader, ifMatchMissing, tagsIn } from '../../request/if-match.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import {
  asRefusal,
  playbookSource,
  publicationReason,
  publishedAnswer,
  publishScope,
  publishedSchema,
} from '../playbooks/edit-playbook.ts'
import { requirePlaybook } from '../playbooks/playbook-view.ts'
import { requireDraft } from './require-draft.ts'
import { actorSchema } from '../system/audit.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

const draftFields = {
  name: text,
  revision: { type: 'integer', description: 'Changes with each save; the `ETag`.' },
  organization_code: { ...textOrNull, description: 'null: shared by all organizations.' },
  base_hash: {
    ...textOrNull,
    description: 'The published version that it changes; null: a new playbook.',
  },
  published_hash: {
    ...textOrNull,
    description:
      'The version that is published now; null: none. If it is not `base_hash`, the draft is outdated.',
  },
  note: { ...text, description: 'For readers of the draft; empty: none.' },
  created_at: time,
  created_by: actorSchema,
  changed_at: time,
  changed_by: actorSchema,
} as const

/** A draft in a list. */
export const apiListedDraftSchema = objectSchema(draftFields)

/** A draft with its source. */
export const apiDraftSchema = objectSchema({ ...draftFields, source: text })

async function listedView(draft: ListedDraft, caller: Caller, { directory, playbooks }: Services) {
  const { organizationUuid: uuid, name } = draft
  const scope = await publishScope(caller, directory)
  const live = [...playbooks.authored(), ...playbooks.shadows()].find((each) => each.name === name)
  // Another organization may have published a playbook with the name since.
  const isSeen = live !== undefined && (live.organization === undefined || isOwn(scope, live))
  return {
    name,
    revision: draft.revision,
    organization_code: uuid === null ? null : await directory.organizationCode(uuid),
    base_hash: draft.baseHash,
    published_hash: isSeen ? live.hash : null,
    note: draft.note,
    created_at: draft.createdAt,
    created_by: draft.createdBy,
    changed_at: draft.changedAt,
    changed_by: draft.changedBy,
  }
}

const draftAnswer = async (draft: PlaybookDraft, caller: Caller, services: Services) => ({
  body: { ...(await listedView(draft, caller, services)), source: draft.source },
  headers: { etag: `"${draft.revision}"` },
})

const listDrafts = defineRoute({
  method: 'GET',
  path: '/playbook-drafts',
  access: 'playbooks:read',
  summary: 'Lists the drafts of playbooks, last changed first, also of playbooks that do not exist yet.',
  answer: objectSchema({ data: { type: 'array', items: apiListedDraftSchema } }),
  async handle({ caller }, services) {
    const found = await services.stores.drafts.list(caller.scope)
    return { body: { data: await Promise.all(found.map((draft) => listedView(draft, caller, services))) } }
  },
})

const getDraft = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/draft',
  access: 'playbooks:read',
  summary: 'Returns the draft of a playbook, by name.',
  answer: apiDraftSchema,
  async handle({ params, caller }, services) {
    return await draftAnswer(await requireDraft(params.playbook, caller, services), caller, services)
  },
})

const saveDraft = defineRoute({
  method: 'PUT',
  path: '/playbooks/{playbook}/draft',
  access: 'playbooks:test',
  summary:
    'Saves the draft of a playbook, which may have errors and may be of a new playbook. Without access to all organizations: only of one of yours.',
  answer: apiDraftSchema,
  headers: ifMatchHeader,
  body: {
    required: ['source'],
    properties: {
      source: playbookSource,
      base_hash: {
        type: ['string', 'null'],
        maxLength: 64,
        description:
          'The published version that the draft changes. Default: that of the saved draft, else null.',
      },
      note: { type: 'string', maxLength: 2_000, description: 'For readers. Default: as saved before.' },
    },
  },
  async handle({ params: { playbook: name }, body, headers, caller }, services) {
    requireName(name)
    const { drafts } = services.stores
    const organizationUuid = await draftOwner(name, body.source, caller, services)
    const before = await drafts.find(caller.scope, name)
    const baseHash = body.base_hash === undefined ? (before?.baseHash ?? null) : body.base_hash
    await requireVersion(name, baseHash, caller, services)
    const given = { name, source: body.source, baseHash, note: body.note ?? before?.note ?? '' }
    const saved = await unlessSeen(() =>
      drafts.save({ ...given, organizationUuid }, seenIn(headers['if-match'], before), caller.actor),
    )
    return await draftAnswer(saved, caller, services)
  },
})

const discardDraft = defineRoute({
  method: 'DELETE',
  path: '/playbooks/{playbook}/draft',
  access: 'playbooks:test',
  summary: 'Discards the draft of a playbook. Without access to all organizations: only of one of yours.',
  answer: apiDraftSchema,
  headers: ifMatchHeader,
  async handle({ params, headers, caller }, services) {
    const draft = await requireDraft(params.playbook, caller, services)
    if (draft.organizationUuid === null) requireWholeScope(caller)
    await unlessSeen(() =>
      services.stores.drafts.discard(
        caller.scope,
        draft.name,
        requiredTag(headers['if-match'], draft),
        caller.actor,
      ),
    )
    return await draftAnswer(draft, caller, services)
  },
})

const publishRoute = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/draft/publish',
  // A second request finds no draft, or another one.
  once: false,
  access: 'playbooks:write',
  summary:
    'Publishes the draft of a playbook, and removes it. Without access to all organizations: only of one of yours.',
  answer: publishedSchema,
  headers: ifMatchHeader,
  body: { required: ['reason'], properties: { reason: publicationReason } },
  async handle({ params, body, headers, caller }, services) {
    const { stores, playbooks, scheduler, directory } = services
    const draft = await requireDraft(params.playbook, caller, services)
    const { name } = draft
    const given = {
      name,
      seen: requiredTag(headers['if-match'], draft),
      reason: body.reason,
      by: caller.actor,
      publishes: await publishScope(caller, directory),
    }
    const { playbook, problems } = await unlessSeen(() =>
      asRefusal(publishDraft(caller.scope, given, { drafts: stores.drafts, playbooks })),
    )
    await scheduler.takeOver()
    const kept = await requirePlaybook(stores.playbooks, caller.scope, playbook.name)
    return await publishedAnswer(kept, problems, services)
  },
})

const nameRule = new RegExp(namePattern)

/** Throws ValidationError `value_invalid`. */
function requireName(name: string): void {
  if (nameRule.test(name) && name.length <= 200) return
  const message = 'a name is words of lower-case letters and digits, joined by hyphens'
  throw new ValidationError('value_invalid', message, [{ pointer: '/playbook', message }])
}

/** Throws ValidationError `value_invalid` unless the hash is of a version of the authored playbook. */
async function requireVersion(
  name: string,
  hash: string | null,
  { scope }: Caller,
  { stores }: Services,
): Promise<void> {
  if (hash === null) return
  const version = await stores.playbooks.findByHash(scope, hash)
  if (version?.name === name && version.origin === 'file') return
  const message = `no version of '${name}' has this hash`
  throw new ValidationError('value_invalid', message, [{ pointer: '/base_hash', message }])
}

/**
 * Uuid of the organization of a draft: the one that its source names, else the one of the published playbook; null: a shared one.
 *
 * @throws RequestError `unknown_organization`; the errors of `requireMayChange` and `requireMayPublish`
 */
async function draftOwner(
  name: string,
  source: string,
  caller: Caller,
  { stores, playbooks, directory, calculations }: Services,
): Promise<string | null> {
  const live = [...playbooks.authored(), ...playbooks.shadows()].find((each) => each.name === name)
  const scope = await publishScope(caller, directory)
  requireMayChange(scope, live)
  const organization = await calculations.slicesInTurn(caller, organizationIn(source))
  const code = organization ?? live?.organization
  requireMayPublish(scope, live, { name, organization: code })
  const owner = code === undefined ? undefined : await directory.organization(caller.scope, code, '/source')
  const draft = await stores.drafts.find('all', name)
  const of = draft?.organizationUuid ?? null
  if (draft !== undefined && of !== null && !isInScope(caller.scope, of)) throw nameTaken(name)
  if (draft !== undefined && of === null) requireWholeScope(caller)
  return owner?.uuid ?? null
}

/** Matches no draft: a foreign tag. */
const noRevision = 0

/** Without the header, there must be no draft yet. Of several tags, the one of the draft, if it is among them. */
function seenIn(ifMatch: string | undefined, draft: PlaybookDraft | undefined): SeenDraft {
  if (ifMatch === undefined) return null
  const tags = tagsIn(ifMatch)
  if (tags === '*') return draft === undefined ? noRevision : undefined
  return tags.includes(String(draft?.revision)) ? draft!.revision : noRevision
}

/** Throws RequestError `precondition_required`. */
function requiredTag(ifMatch: string | undefined, draft: PlaybookDraft) {
  if (ifMatch === undefined) throw ifMatchMissing()
  return seenIn(ifMatch, draft) ?? undefined
}

/** Names who changed the draft, and when. */
async function unlessSeen<T>(edit: () => Promise<T>): Promise<T> {
  try {
    return await edit()
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    if (error.code === 'draft_exists')
      throw new RequestError('precondition_required', `${error.message}; If-Match is missing.`, {
        hint: 'read the draft, and repeat the change with its ETag',
      })
    if (error.code !== 'revision_changed') throw error
    throw new RequestError(
      'precondition_failed',
      `Someone else changed it since you read it: ${error.message}.`,
      {
        hint: 'read it again, and repeat the change with its ETag',
      },
    )
  }
}

export const draftRoutes = [listDrafts, getDraft, saveDraft, discardDraft, publishRoute]
