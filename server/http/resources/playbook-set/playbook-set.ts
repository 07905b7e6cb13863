import { relative, resolve } from 'node:path'
import { setHash } from '../../../../core/publishing/apply-set.ts'
import type { RefusedChange } from '../../../../core/publishing/hindrance.ts'
import { isOwn } from '../../../../core/publishing/playbook-owner.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'
import { ifMatchHeader, tagsIn } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import {
  playbookSource,
  missingSchema,
  problemsSchema,
  problemView,
  publicationReason,
  publishScope,
} from '../playbooks/edit-playbook.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'
import { scopeOf, type Caller } from '../../caller/caller.ts'
import { ConflictError, ValidationError } from '../../../../core/errors/errors.ts'

/** Bytes of a request: a thousand playbooks of common size. */
export const maxSetBytes = 8_388_608

/** Answer of `GET playbook-set`. */
const playbookSetSchema = objectSchema({
  data: {
    type: 'array',
    items: objectSchema({
      name: text,
      hash: text,
      file: { ...text, description: 'Path in the playbooks folder.' },
      source: text,
    }),
  },
})

const getPlaybookSet = defineRoute({
  method: 'GET',
  path: '/playbook-set',
  access: 'playbooks:read',
  summary: 'All authored playbooks that you may publish, with sources and files; `ETag` identifies the set.',
  answer: playbookSetSchema,
  async handle({ caller }, services) {
    const owned = await ownedBy(caller, services)
    const data = owned.map(({ name, hash, source }) => ({ name, hash, file: fileOf(name, services), source }))
    return { body: { data }, headers: { etag: `"${setHash(owned)}"` } }
  },
})

/** Somebody who publishes nothing compares with what they read. */
async function ownedBy(caller: Caller, services: Services): Promise<readonly Playbook[]> {
  const published = scopeOf(caller.grants, 'playbooks:write') ?? caller.scope
  const scope = await publishScope({ ...caller, scope: published }, services.directory)
  const { playbooks } = services
  const own = [...playbooks.authored(), ...playbooks.shadows()].filter((each) => isOwn(scope, each))
  return own.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const fileOf = (name: string, { playbooks }: Services): string => {
  const path = playbooks.fileOf(name)
  return path === undefined ? `${name}.yaml` : relative(playbooks.folder, path)
}

/** Answer of `POST playbook-set`. */
const appliedSetSchema = objectSchema({
  dry_run: { type: 'boolean' },
  hash: { ...text, description: 'Identifies the set that is published now, like the `ETag`.' },
  data: {
    type: 'array',
    items: objectSchema({
      name: text,
      outcome: { enum: ['created', 'changed', 'unchanged', 'deleted'] },
      file: { ...textOrNull, description: 'As given; null: deleted.' },
      problems: { ...problemsSchema, description: 'Warnings.' },
    }),
  },
})

const setBody = {
  required: ['playbooks'],
  properties: {
    playbooks: {
      type: 'array',
      minItems: 1,
      maxItems: 2_000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['source'],
        properties: {
          source: playbookSource,
          file: {
            type: 'string',
            minLength: 1,
            maxLength: 500,
            ...patterns.text,
            description: 'Shown in problems. Default: its number.',
          },
        },
      },
    },
    prune: {
      type: 'boolean',
      description: 'Also delete the other authored playbooks that you may publish. Default: false.',
    },
    dry_run: { type: 'boolean', description: 'Check everything, and change nothing. Default: false.' },
    reason: publicationReason,
    revision: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      ...patterns.text,
      description: 'For the audit log: the commit of a repository.',
    },
  },
} as const satisfies JsonSchema

const applyPlaybookSet = defineRoute({
  method: 'POST',
  path: '/playbook-set',
  // Applied again, it changes nothing.
  once: false,
  access: 'playbooks:write',
  summary:
    'Publishes several playbooks together, all or none. Without access to all organizations: only playbooks of yours.',
  answer: appliedSetSchema,
  headers: ifMatchHeader,
  maxBody: maxSetBytes,
  body: setBody,
  async handle({ body, headers, caller }, { playbooks, directory, scheduler }) {
    const { prune = false, dry_run: dryRun = false, reason, revision } = body
    const tags = headers['if-match'] === undefined ? '*' : tagsIn(headers['if-match'])
    const sources = body.playbooks.map(({ source, file }, at) => ({ source, file: file ?? `#${at + 1}` }))
    const { outcomes, hash } = await playbooks
      .applySet(
        { sources, prune, publication: { reason, revision } },
        {
          by: caller.actor,
          scope: await publishScope(caller, directory),
          seen: tags === '*' ? undefined : tags,
          dryRun,
        },
      )
      .catch(asRefusedSet)
    if (!dryRun) await scheduler.takeOver()
    const data = outcomes.map(({ problems, ...rest }) => ({ ...rest, problems: problems.map(problemView) }))
    return { body: { dry_run: dryRun, hash, data }, headers: { etag: `"${hash}"` } }
  },
})

function asRefusedSet(error: unknown): never {
  if (error instanceof ValidationError && error.code === 'playbook_invalid') {
    const { message, hint, errors } = error
    throw new RequestError('playbook_invalid', `${message[0]?.toUpperCase()}${message.slice(1)}.`, {
      hint,
      errors,
    })
  }
  if (!(error instanceof ConflictError) || error.code !== 'set_changed') throw error
  throw new RequestError('precondition_failed', 'Other playbooks are published than those that you read.', {
    hint: 'read GET playbook-set again, and repeat the change with its ETag',
  })
}

const refusedChangeSchema = objectSchema({
  reason: {
    enum: ['errors', 'missing', 'empty', 'changing'],
    description:
      '`errors`: see `problems`. `missing`: the folder does not exist. `empty`: all files are gone. `changing`: the files are being changed.',
  },
  changed: { type: 'integer', description: 'Number of changed, new and deleted files.' },
  problems: {
    type: 'array',
    description: 'At most 100. Empty without access to all organizations.',
    items: objectSchema({
      file: text,
      line: { type: 'integer' },
      column: { type: 'integer' },
      code: text,
      message: text,
      hint: textOrNull,
      missing: { anyOf: [{ type: 'null' }, missingSchema] },
    }),
  },
})

/** Answer of `GET playbook-folder`. */
export const apiPlaybookFolderSchema = objectSchema({
  refused: {
    type: 'array',
    description: 'Files that are not live. Empty without access to all organizations.',
    items: objectSchema({ file: text, errors: { type: 'integer' } }),
  },
  outdated: {
    type: 'array',
    description:
      'Files that are older than what a person has published or deleted on another node, or missing, and that Tocsin cannot write. They are not published. Empty without access to all organizations.',
    items: objectSchema({ file: text, playbook: text, changed_by: text }),
  },
  refused_change: {
    anyOf: [{ type: 'null' }, refusedChangeSchema],
    description: 'A change of the folder that is not published; null: all is published.',
  },
})

/** Shown problems. */
const maxProblems = 100

function folderView({ scope }: Caller, { playbooks }: Services) {
  const change = playbooks.refusedChange()
  return {
    refused: scope === 'all' ? playbooks.refused().slice(0, maxProblems) : [],
    outdated: (scope === 'all' ? playbooks.outdated() : [])
      .slice(0, maxProblems)
      .map(({ file, playbook, changedBy }) => ({ file, playbook, changed_by: changedBy })),
    refused_change: change === undefined ? null : changeView(change, scope === 'all', playbooks.folder),
  }
}

const changeView = ({ reason, changed, problems }: RefusedChange, seesAll: boolean, folder: string) => ({
  reason,
  changed,
  problems: (seesAll ? problems : [])
    .slice(0, maxProblems)
    .map(({ file, line, column, code, message, hint, missing }) => ({
      file: relative(folder, resolve(folder, file ?? '')),
      line,
      column,
      code,
      message,
      hint: hint ?? null,
      missing: missing ?? null,
    })),
})

const getPlaybookFolder = defineRoute({
  method: 'GET',
  path: '/playbook-folder',
  access: 'playbooks:read',
  summary: 'Which files of the playbooks folder are not live, and why.',
  answer: apiPlaybookFolderSchema,
  async handle({ caller }, services) {
    return { body: folderView(caller, services) }
  },
})

/** Answer of `POST playbook-folder/reload`. */
const reloadedSchema = objectSchema({
  published: { type: 'array', items: text, description: 'Names of changed and new playbooks.' },
  removed: { type: 'array', items: text, description: 'Names of playbooks whose file was deleted.' },
  ...apiPlaybookFolderSchema.properties,
})

const reloadPlaybookFolder = defineRoute({
  method: 'POST',
  path: '/playbook-folder/reload',
  // A second reload finds no change.
  once: false,
  access: 'playbooks:write',
  summary:
    'Publishes changed files of the playbooks folder now. The API key must not be limited to organizations.',
  answer: reloadedSchema,
  async handle({ caller }, services) {
    requireWholeScope(caller)
    const { published, removed } = await services.playbooks.reloadAnywhere()
    await services.scheduler.takeOver()
    return { body: { published, removed, ...folderView(caller, services) } }
  },
})

export const playbookSetRoutes = [getPlaybookSet, applyPlaybookSet, getPlaybookFolder, reloadPlaybookFolder]
