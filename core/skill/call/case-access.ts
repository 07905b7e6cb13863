import { theRun } from '../../domain/audit.ts'
import { NotFoundError } from '../../errors/errors.ts'
import { SkillError, type CaseAccess, type CaseView } from '../../plugin/index.ts'
import type { CaseStore } from '../../ports/case-store.ts'

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
  }
}

/** Keys of steps begin with the uuid of their run, so a reference never equals one. */
const keyOfReference = (reference: string): string => `reference/${reference}`

function toView({ id, title, summary, status, severity, verdict, assignee }: CaseView): CaseView {
  return { id, title, summary, status, severity, verdict, assignee }
}

async function skillErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof NotFoundError)
      throw new SkillError('case_not_found', error.message, { cause: error })
    throw error
  }
}
