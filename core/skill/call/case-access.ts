import { maxFileBytes } from '../../common/read-body.ts'
import { theRun } from '../../domain/audit.ts'
import { ConflictError, NotFoundError } from '../../errors/errors.ts'
import { SkillError, type AttachedFile, type CaseAccess, type CaseView } from '../../plugin/index.ts'
import type { CaseStore } from '../../ports/case-store.ts'
import { fileNotFound, sizeText } from '../../transitions/case-files.ts'

export interface CaseAccessOptions {
  readonly cases: CaseStore
  readonly organizationUuid: string
  readonly runUuid: string
  readonly playbookName: string
  /** See `SkillCallRun`. */
  readonly openCase: () => Promise<string | undefined>
  /** Idempotency key of the attempt, which namespaces the keys that a skill makes up. */
  readonly idempotencyKey: string
}

/** The cases of the run's organization, for one step. */
export function createCaseAccess(options: CaseAccessOptions): CaseAccess {
  const { cases, organizationUuid } = options
  const by = theRun(options.runUuid, options.playbookName)
  const own = (key: string): string =>
    key.startsWith(options.idempotencyKey) ? key : `${options.idempotencyKey}/${key}`
  return {
    own: () => options.openCase(),
    create: async (changes, key) => (await cases.create(organizationUuid, changes, by, own(key))).id,
    open: async (reference, changes) =>
      (await cases.create(organizationUuid, changes, by, keyOfReference(reference))).id,
    find: async (reference) => {
      const found = await cases.findByKey(organizationUuid, keyOfReference(reference))
      return found && toView(found)
    },
    update: async (id, changes, key) => {
      await skillErrors(cases.update(organizationUuid, id, changes, by, own(key)))
    },
    comment: async (id, text, key) => {
      await skillErrors(cases.comment(organizationUuid, id, text, by, own(key)))
    },
    attachFile: async (id, file) =>
      attached(await skillErrors(cases.files.attach(organizationUuid, id, file, by))),
    files: async (id) => {
      const files = await cases.files.list([organizationUuid], id)
      return files.filter(({ deletedAt }) => deletedAt === null).map(attached)
    },
    readFile: (id, sha256) => skillErrors(readFile(cases, organizationUuid, id, sha256)),
  }
}

/** The key of the case for an external record. Keys of steps begin with the uuid of their run, so they never equal it. */
export const keyOfReference = (reference: string): string => `reference/${reference}`

function toView({ id, title, summary, status, severity, verdict, assignee }: CaseView): CaseView {
  return { id, title, summary, status, severity, verdict, assignee }
}

const attached = ({ sha256, name, contentType, size }: AttachedFile): AttachedFile => ({
  sha256,
  name,
  contentType,
  size,
})

async function readFile(
  cases: CaseStore,
  organizationUuid: string,
  id: string,
  sha256: string,
): Promise<Uint8Array> {
  const file = await cases.files.open([organizationUuid], id, sha256)
  if (file === undefined) throw fileNotFound(id, sha256)
  if (file.size > maxFileBytes)
    throw new SkillError(
      'file_too_large',
      `the file is larger than ${sizeText(maxFileBytes)}, the limit of skills`,
    )
  const bytes = new Uint8Array(file.size)
  let at = 0
  for await (const piece of file.content()) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

async function skillErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isRefusal = error instanceof NotFoundError || error instanceof ConflictError
    if (isRefusal) throw new SkillError(error.code, error.message, { hint: error.hint, cause: error })
    throw error
  }
}
